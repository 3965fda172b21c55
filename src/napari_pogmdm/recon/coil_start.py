"""A first guess of the coils, from what the mask left of the centre of k-space."""

from __future__ import annotations

from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import low_pass_coils, normalise
from napari_pogmdm.physics.espirit import espirit_coils
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.recon.measurement import Measurement

COIL_STARTS = ("low-pass", "espirit", "zero-filled")
_NARROWEST = 8
_WIDEST = 32


def starting_coils(measurement: Measurement, start: str = "low-pass") -> Tensor:
    """Estimate coils (coils, rows, columns) with a root sum of squares of 1.

    Parameters
    ----------
    start
        "low-pass" takes the tapered centre of k-space, whether or not it is fully sampled; "espirit" calibrates on the
        fully sampled centre; "zero-filled" divides the aliased coil images by their RSS, as the paper does.
    """
    if start not in COIL_STARTS:
        raise InputError(f"coil start: unknown {start!r}; choose from {', '.join(COIL_STARTS)}.")
    if measurement.kspace.shape[0] == 1:
        return low_pass_coils(measurement.kspace, _window(measurement))
    if start == "espirit":
        return normalise(espirit_coils(measurement.kspace, measurement.mask.centre))
    if start == "zero-filled":
        return normalise(to_image(measurement.kspace))
    return low_pass_coils(measurement.kspace, _window(measurement))


def _window(measurement: Measurement) -> tuple[int, int]:
    sampled = measurement.mask.centre
    rows, columns = (
        min(max(have, _NARROWEST), _WIDEST, size) for have, size in zip(sampled, measurement.shape, strict=True)
    )
    return rows, columns
