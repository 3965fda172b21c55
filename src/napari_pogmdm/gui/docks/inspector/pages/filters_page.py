"""The page with a picture of every filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from napari_pogmdm.gui.docks.inspector.model_view import ModelView
from napari_pogmdm.gui.docks.inspector.pages.cell_page import CellPage
from napari_pogmdm.gui.docks.inspector.pages.filter_panel import FilterPanel
from napari_pogmdm.gui.docks.inspector.pages.page import Inspection, Save, names_of

if TYPE_CHECKING:
    from napari.viewer import Viewer


class FiltersPage(CellPage):
    """Filters and spectra.

    Parameters
    ----------
    viewer
        Whose theme is followed.
    """

    title = "&Filters"

    def __init__(self, viewer: Viewer) -> None:
        super().__init__()
        self.filters = (FilterPanel(viewer), FilterPanel(viewer, "filters and their spectra, second model"))
        self.add_panels(self.filters)
        self._drawn: list[ModelView | None] = [None, None]

    def draw(self, inspection: Inspection) -> None:
        """Show filters and mark those that are off."""
        for model, panel in enumerate(self.filters):
            present = model < len(inspection.views)
            panel.setVisible(present)
            if not present:
                continue
            if self._drawn[model] is not inspection.views[model]:
                self._drawn[model] = inspection.views[model]
                panel.show_model(inspection.views[model])
            panel.show_analysis(inspection.analyses[model])
        self.show_selection(inspection)

    def explanation(self, inspection: Inspection) -> str:
        """Say what one sees."""
        return (
            "Filters f<sub>k</sub>, eq. (16), and spectra |F f<sub>k</sub>|, with their share of the score; "
            "<i>off</i>: switched off at this noise. Click one for its response."
        )

    def exports(self, inspection: Inspection) -> list[tuple[str, Save]]:
        """Offer the filters."""
        return [(f"filters of {name}", self.filters[k].save) for k, name in enumerate(names_of(inspection.views))]
