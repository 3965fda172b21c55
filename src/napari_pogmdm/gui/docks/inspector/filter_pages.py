"""The pages with a cell for every filter: filters, and their potentials; two models stand side by side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from napari_pogmdm.gui.docks.inspector.cell_panel import CellPanel
from napari_pogmdm.gui.docks.inspector.curves import derivatives, quick_potentials
from napari_pogmdm.gui.docks.inspector.filter_panel import Montage
from napari_pogmdm.gui.docks.inspector.model_view import ModelView, comparability
from napari_pogmdm.gui.docks.inspector.page import Page, Save, Subject
from napari_pogmdm.gui.docks.inspector.potential_panel import LEVEL_COLOURS, PotentialPanel, height_of, steepness_of
from napari_pogmdm.gui.docks.inspector.responses import as_potentials
from napari_pogmdm.prior.figures import PAPER_LEVELS

if TYPE_CHECKING:
    from napari.viewer import Viewer

_MOST_MODELS = 2


class _CellPage(Page):
    """Two panels, of which the second is hidden while there is one model; they turn their pages together."""

    panels: tuple[CellPanel, ...]

    def _add_panels(self, panels: tuple[CellPanel, ...]) -> None:
        self.panels = panels
        for model, panel in enumerate(panels):
            self.row.addWidget(panel, 1)
            panel.setVisible(model == 0)
            panel.chosen.connect(partial(self.chosen.emit, model))
            panel.paged.connect(self.paged)

    @property
    def position(self) -> tuple[int, int]:
        """Page of the panel that has most of them."""
        places = [panel.cells for panel in self.panels if not panel.isHidden()]
        longest = max(places, key=lambda cells: cells.pages)
        return longest.page, longest.pages

    def turn(self, by: int) -> None:
        """Turn the pages of both panels."""
        here, _ = self.position
        for panel in self.panels:
            panel.turn_to(here + by)

    def _select(self, subject: Subject) -> None:
        for model, panel in enumerate(self.panels):
            number = subject.chosen(model)
            if number != panel.selected:
                panel.select(number)
        captions = ("", "")
        if len(subject.views) == _MOST_MODELS:
            first, second = subject.views
            captions = (first.name, f"{second.name}: {comparability(first, second)}")
        for panel, caption in zip(self.panels, captions, strict=True):
            panel.caption = caption


class FiltersPage(_CellPage):
    """Filters and spectra."""

    title = "&Filters"

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.montages = (Montage(viewer), Montage(viewer, "filters and their spectra, second model"))
        self._add_panels(self.montages)
        self._drawn: list[ModelView | None] = [None, None]

    def draw(self, subject: Subject) -> None:
        """Show filters and mark those that are off."""
        for model, montage in enumerate(self.montages):
            present = model < len(subject.views)
            montage.setVisible(present)
            if not present:
                continue
            if self._drawn[model] is not subject.views[model]:
                self._drawn[model] = subject.views[model]
                montage.show_model(subject.views[model])
            montage.show_analysis(subject.analyses[model])
        self._select(subject)

    def explanation(self, subject: Subject) -> str:
        """Say what one sees."""
        return (
            "Filters f<sub>k</sub>, eq. (16), and spectra |F f<sub>k</sub>|, with their share of the score; "
            "<i>off</i>: switched off at this noise. Click one for its response."
        )

    def exports(self, subject: Subject) -> list[tuple[str, Save]]:
        """Offer the montages."""
        return [(f"filters of {view.name}", self.montages[model].save) for model, view in enumerate(subject.views)]


class PotentialsPage(_CellPage):
    """Potentials, or their derivatives, on shared axes."""

    title = "&Potentials"

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.plots = (PotentialPanel(viewer), PotentialPanel(viewer, "potentials, second model"))
        self._add_panels(self.plots)
        self._shown: list[tuple[object, ...] | None] = [None, None]

    def draw(self, subject: Subject) -> None:
        """Show curves, marginals and the probed pixel; only what changed is computed again."""
        axes = _shared_axes(subject)
        for model, panel in enumerate(self.plots):
            present = model < len(subject.views)
            panel.setVisible(present)
            if not present:
                continue
            view, analysis, probe = subject.views[model], subject.analyses[model], subject.probes[model]
            if panel.view is not view or panel.slopes != subject.slopes:
                panel.show_model(view, subject.slopes)
            moment = (view, subject.level, subject.slopes)
            if self._shown[model] != moment:
                self._shown[model] = moment
                curves = derivatives if subject.slopes else quick_potentials
                panel.show_level(subject.level, curves(view.prior, view.grid, subject.level))
            panel.show_analysis(analysis)
            wanted = subject.counted and not subject.slopes and analysis is not None
            panel.show_marginals(
                (analysis.centres, as_potentials(analysis.densities)) if wanted and analysis is not None else None
            )
            panel.show_probe(None if probe is None else probe.responses)
            if panel.axes != axes:
                panel.set_axes(*axes)
        self._select(subject)

    def explanation(self, subject: Subject) -> str:
        """Say what one sees."""
        counted = subject.counted and not subject.slopes
        what = "Derivatives of −log ψ<sub>k</sub>" if subject.slopes else "Potentials −log ψ<sub>k</sub>(·, t)"
        return (
            f"{what}, eq. (17), over responses, at √2t = {_legend()}; thick: {subject.level:.3f}"
            f"{'; grey: −log of the counted responses' if counted else ''}."
        )

    def exports(self, subject: Subject) -> list[tuple[str, Save]]:
        """Offer the panels."""
        kind = "derivatives" if subject.slopes else "potentials"
        return [(f"{kind} of {view.name}", self.plots[model].save) for model, view in enumerate(subject.views)]


def _shared_axes(subject: Subject) -> tuple[float, float, float]:
    """Reach and values that suit all shown models."""
    reach = max((view.prior.configuration.bound for view in subject.views), default=0.5)
    seen = [analysis.reach for analysis in subject.analyses if analysis is not None]
    if subject.zoomed and seen:
        reach = min(reach, max(0.02, float(f"{1.1 * max(seen):.1g}")))
    if subject.slopes:
        high = max((steepness_of(view.slopes, view.grid, reach) for view in subject.views), default=1.0)
        return reach, -high, high
    return reach, 0.0, max((height_of(view.potentials, view.grid, reach) for view in subject.views), default=4.0)


def _legend() -> str:
    return ", ".join(
        f'<span style="color:{colour}">{level:g}</span>'
        for level, colour in zip(PAPER_LEVELS, LEVEL_COLOURS, strict=True)
    )
