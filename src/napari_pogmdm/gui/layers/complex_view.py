"""Complex arrays as pictures: napari's image layers take real numbers only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.gui.layers.style import CYCLIC, PHASE_LIMITS, LayerStyle

ComplexArray = NDArray[np.complexfloating]
_FAINTEST = 1e-5  # of the strongest sample, which is -100 dB: below the noise of any scan


@dataclass(frozen=True)
class Part:
    """One way to look at complex numbers.

    Attributes
    ----------
    of
        Makes real numbers of them.
    signed
        Whether they lie around zero, and so does their colormap.
    cyclic
        Whether they are angles, whose colormap closes at plus and minus pi.
    """

    of: Callable[[ComplexArray], NDArray[np.floating]]
    signed: bool = False
    cyclic: bool = False


PARTS: dict[str, Part] = {
    "magnitude": Part(np.abs),
    "phase": Part(np.angle, cyclic=True),
    "real": Part(np.real, signed=True),
    "imaginary": Part(np.imag, signed=True),
}


def view_of(array: ComplexArray, part: str) -> FloatImage:
    """Give one part of a complex array as real numbers of its own."""
    return np.array(PARTS[part].of(array), dtype=np.float32)


def style_of(part: str, name: str, data: FloatImage) -> LayerStyle:
    """Say how a part is shown: phases between minus and plus pi, signed values symmetrically about zero.

    Parameters
    ----------
    part
        Name in `PARTS`.
    name
        Of the layer.
    data
        As `view_of` gave them; the largest is shown brightest.
    """
    if PARTS[part].cyclic:
        return LayerStyle(name, CYCLIC, PHASE_LIMITS, visible=True)
    largest = float(np.abs(data).max()) or 1.0
    if PARTS[part].signed:
        return LayerStyle(name, "gray", (-largest, largest), visible=True)
    return LayerStyle(name, "gray", (0.0, largest), visible=True)


def log_magnitude(kspace: ComplexArray) -> FloatImage:
    """Give k-space (coils, rows, columns) as decibels below its strongest sample, RSS over coils, at most 100."""
    combined = np.sqrt((np.abs(kspace) ** 2).sum(axis=0))
    strongest = float(combined.max()) or 1.0
    return (20 * np.log10(np.maximum(combined / strongest, _FAINTEST))).astype(np.float32)
