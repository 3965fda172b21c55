"""What the pages with a cell for every filter have in common; two models stand side by side."""

from __future__ import annotations

from functools import partial

from napari_pogmdm.gui.docks.inspector.model_view import comparability
from napari_pogmdm.gui.docks.inspector.pages.cell_panel import CellPanel
from napari_pogmdm.gui.docks.inspector.pages.page import Inspection, Page

_MOST_MODELS = 2  # for which there are panels


class CellPage(Page):
    """Two panels, of which the second is hidden while there is one model; they turn their pages together."""

    panels: tuple[CellPanel, ...]

    def add_panels(self, panels: tuple[CellPanel, ...]) -> None:
        """Put a panel for each model beside each other."""
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

    def show_selection(self, inspection: Inspection) -> None:
        """Mark the chosen filter, and name the models where there are two."""
        for model, panel in enumerate(self.panels):
            number = inspection.chosen(model)
            if number != panel.selected:
                panel.select(number)
        captions = ("", "")
        if len(inspection.views) == _MOST_MODELS:
            first, second = inspection.views
            captions = (first.name, f"{second.name}: {comparability(first, second)}")
        for panel, caption in zip(self.panels, captions, strict=True):
            panel.caption = caption
