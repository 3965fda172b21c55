"""The page with the potential of every filter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from napari_pogmdm.gui.docks.inspector.curves import derivatives, quick_potentials
from napari_pogmdm.gui.docks.inspector.pages.cell_page import CellPage
from napari_pogmdm.gui.docks.inspector.pages.page import Inspection, Save, names_of
from napari_pogmdm.gui.docks.inspector.pages.potential_panel import (
    LEVEL_COLOURS,
    PotentialPanel,
    height_of,
    steepness_of,
)
from napari_pogmdm.gui.docks.inspector.responses import as_potentials
from napari_pogmdm.prior.figures import PAPER_LEVELS

if TYPE_CHECKING:
    from napari.viewer import Viewer

_USUAL_REACH, _USUAL_HEIGHT = 0.5, 4.0  # of the axes before a model is there: a response, and nats
_SMALLEST_REACH = 0.02  # of a zoomed axis; an image without edges would have it zoomed for ever
_ROOM = 1.1  # times the largest response of a pixel: no mark stands at the very edge
_ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 4.5, 5.0, 7.0, 10.0)  # ends of axes, times a power of ten


class PotentialsPage(CellPage):
    """Potentials, or their derivatives, on shared axes.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    """

    title = "&Potentials"

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.potentials = (PotentialPanel(viewer), PotentialPanel(viewer, "potentials, second model"))
        self.add_panels(self.potentials)
        self._shown: list[tuple[object, ...] | None] = [None, None]

    def draw(self, inspection: Inspection) -> None:
        """Show curves, marginals and the pixel; only what changed is computed again."""
        axes = _shared_axes(inspection)
        for model, panel in enumerate(self.potentials):
            present = model < len(inspection.views)
            panel.setVisible(present)
            if not present:
                continue
            view, analysis, pixel = inspection.views[model], inspection.analyses[model], inspection.pixels[model]
            if panel.view is not view or panel.slopes != inspection.slopes:
                panel.show_model(view, inspection.slopes)
            moment = (view, inspection.sigma, inspection.slopes)
            if self._shown[model] != moment:
                self._shown[model] = moment
                curves = derivatives if inspection.slopes else quick_potentials
                panel.show_sigma(inspection.sigma, curves(view.prior, view.grid, inspection.sigma))
            panel.show_analysis(analysis)
            wanted = inspection.counted and not inspection.slopes and analysis is not None
            panel.show_marginals(
                (analysis.centres, as_potentials(analysis.densities)) if wanted and analysis is not None else None
            )
            panel.show_pixel(None if pixel is None else pixel.responses)
            if panel.axes != axes:
                panel.set_axes(*axes)
        self.show_selection(inspection)

    def explanation(self, inspection: Inspection) -> str:
        """Say what one sees."""
        counted = inspection.counted and not inspection.slopes
        what = "Derivatives of −log ψ<sub>k</sub>" if inspection.slopes else "Potentials −log ψ<sub>k</sub>(·, t)"
        return (
            f"{what}, eq. (17), over responses, at sigma = {_legend()}; thick: {inspection.sigma:.3f}"
            f"{'; grey: −log of the counted responses' if counted else ''}."
        )

    def exports(self, inspection: Inspection) -> list[tuple[str, Save]]:
        """Offer the panels."""
        kind = "derivatives" if inspection.slopes else "potentials"
        return [(f"{kind} of {name}", self.potentials[k].save) for k, name in enumerate(names_of(inspection.views))]


def _shared_axes(inspection: Inspection) -> tuple[float, float, float]:
    """Reach and values that suit all shown models; zoomed, those of the pixel, or of the image where there is none."""
    reach = max((view.prior.configuration.bound for view in inspection.views), default=_USUAL_REACH)
    of_pixels = [_ROOM * float(np.abs(pixel.responses).max()) for pixel in inspection.pixels if pixel is not None]
    occurring = of_pixels or [analysis.reach for analysis in inspection.analyses if analysis is not None]
    if inspection.zoomed and occurring:
        reach = min(reach, round_up(max(_SMALLEST_REACH, *occurring)))
    if inspection.slopes:
        high = max((steepness_of(view.slopes, view.grid, reach) for view in inspection.views), default=1.0)
        return reach, -high, high
    return (
        reach,
        0.0,
        max((height_of(view.potentials, view.grid, reach) for view in inspection.views), default=_USUAL_HEIGHT),
    )


def round_up(number: float) -> float:
    """Give the next round number that is no smaller than a positive one."""
    power = 10.0 ** math.floor(math.log10(number))
    return next(step * power for step in _ROUND if step * power >= number * (1 - 1e-9))  # rounding of the power


def _legend() -> str:
    return ", ".join(
        f'<span style="color:{colour}">{level:g}</span>'
        for level, colour in zip(PAPER_LEVELS, LEVEL_COLOURS, strict=True)
    )
