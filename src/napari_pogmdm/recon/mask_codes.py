"""Short names for masks in tables: C4/8, C4/8r, R11, G8, S5, P6."""

from __future__ import annotations

import re

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask

_PATTERN = re.compile(r"(?P<kind>[CRGSP])(?P<acceleration>\d+(?:\.\d+)?)(?:/(?P<acl>\d+(?:\.\d+)?))?(?P<rows>r)?")
_KINDS = {"C": "cartesian", "R": "radial", "G": "gaussian", "S": "spiral", "P": "poisson"}


def mask_from_code(code: str, shape: tuple[int, int], seed: int = 42) -> Mask:
    """Make the mask that a code names.

    The letter is the kind (Cartesian, radial, Gaussian, spiral, Poisson disc), the number behind it the acceleration,
    the one behind the slash the percentage of central lines (8 if left out), and an ``r`` rotates the lines.
    """
    match = _PATTERN.fullmatch(code.strip())
    if match is None:
        raise InputError(f"masks: cannot read {code!r}; write codes such as C4/8, C4/8r, R11, G8 or S5.")
    return make_mask(
        _KINDS[match["kind"]],
        shape,
        float(match["acceleration"]),
        float(match["acl"] or 8) / 100,
        seed,
        "rows" if match["rows"] else "columns",
    )
