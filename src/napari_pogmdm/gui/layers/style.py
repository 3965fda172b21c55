"""How each role is shown as a layer: name, colours, contrast, place on the canvas."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.runs.roles import Role

Limits = tuple[float, float]

PHASE_LIMITS: Limits = (-float(np.pi), float(np.pi))
CYCLIC = "twilight_shifted"
"""A colormap whose ends meet, for phases."""

_ERROR_SHARE = 0.2  # of white: errors of a tenth of the brightest tissue are plain to see, those of a hundredth are not
DEVIATION_SHARE = 0.1  # of white: 10 %, above nearly all deviations; one scale for all, or small ones would glow, too


class Contrast(StrEnum):
    """Where the contrast limits of a layer come from when they are not fixed."""

    INTENSITY = "intensity"
    """Shared by everything in the units of the image: from 0 to white."""

    ERROR = "error"
    """A fifth of that."""

    OWN = "own"
    """Taken from the first data, and then kept."""

    DEVIATION = "deviation"
    """A tenth of that, whatever the data are."""


@dataclass(frozen=True)
class LayerStyle:
    """How a role is shown.

    Attributes
    ----------
    name
        Of the layer.
    colormap
        Name of one of napari's or vispy's colormaps.
    contrast
        Fixed limits, or where they come from.
    column
        Of the canvas: 0 holds images, 1 k-space, 2 point spreads. Full, uncropped images share column 0.
    visible
        Whether it is shown when it first appears, where nobody owns the canvas.
    under
        Role below whose layer it appears, so as not to hide it; empty for none.
    unit
        In which the colour bar counts; "%" counts in hundredths of the intensity that is shown as white. Grey images
        have no bar.
    """

    name: str
    colormap: str = "gray"
    contrast: Contrast | Limits = Contrast.INTENSITY
    column: int = 0
    visible: bool = False
    under: str = ""
    unit: str = ""

    def limits(self, data: NDArray[np.floating], white: float) -> Limits:
        """Find the contrast limits for data, where ``white`` is the intensity that is shown as white."""
        if isinstance(self.contrast, tuple):
            return self.contrast
        if self.contrast is Contrast.INTENSITY:
            return 0.0, white
        if self.contrast is Contrast.ERROR:
            return 0.0, _ERROR_SHARE * white
        if self.contrast is Contrast.DEVIATION:
            return 0.0, DEVIATION_SHARE * white
        low, high = float(np.min(data)), float(np.max(data))
        return (low, high) if high > low else (low, low + 1.0)


STYLES: dict[str, LayerStyle] = {
    Role.REFERENCE: LayerStyle("fully sampled"),
    Role.ZERO_FILLED: LayerStyle("zero-filled", visible=True),
    Role.KSPACE: LayerStyle("k-space, log magnitude", "magma", Contrast.OWN, column=1, unit="dB"),
    # in dB: -60 is a thousandth of the peak; residuals lie between a tenth and 30 millionths of the strongest sample
    Role.POINT_SPREAD: LayerStyle("point spread / dB", "magma", (-60.0, 0.0), column=2, unit="dB"),
    Role.COIL_IMAGES: LayerStyle("coil images", "gray", Contrast.OWN),
    Role.IMAGE: LayerStyle("reconstruction |x| RSS(s)", visible=True),
    Role.BEFORE_FORK: LayerStyle("before fork", under=Role.IMAGE),
    Role.PHASE: LayerStyle("phase of x", CYCLIC, PHASE_LIMITS, unit="rad"),
    Role.TWEEDIE: LayerStyle("estimate E[x₀|xₜ]"),
    Role.COIL_MAGNITUDE: LayerStyle("coil maps |s|", "viridis", (0.0, 1.0)),
    Role.COIL_PHASE: LayerStyle("coil maps, phase", CYCLIC, PHASE_LIMITS, unit="rad"),
    Role.MEAN: LayerStyle("mean of chains"),
    Role.DEVIATION: LayerStyle("standard deviation", "inferno", Contrast.DEVIATION, unit="%"),
    Role.DOUBT: LayerStyle("P(error > 5 %)", "inferno", (0.0, 1.0)),
    Role.ERROR: LayerStyle("error |x - reference|", "inferno", Contrast.ERROR, unit="%"),
    Role.RESIDUAL: LayerStyle("k-space residual / dB", "magma", (-90.0, -20.0), column=1, unit="dB"),
}
"""Every role that the docks of the workbench share; a dock may add styles of its own with `LayerBook.add_style`."""
