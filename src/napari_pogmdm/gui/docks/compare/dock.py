"""The Compare dock: several methods on the same measurement, in a table, side by side and on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from qtpy.QtWidgets import QFileDialog, QTableWidgetItem

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.rival_choices import checkpoint_choice
from napari_pogmdm.gui.background.notices import Notice, NoticeKind, as_notice
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.compare.cases import SliceCases
from napari_pogmdm.gui.docks.compare.coil_page import CoilPage
from napari_pogmdm.gui.docks.compare.export import FILE_FILTER, export
from napari_pogmdm.gui.docks.compare.layers import ComparisonLayers
from napari_pogmdm.gui.docks.compare.methods_box import CHECKPOINT_FILTER, MethodsBox
from napari_pogmdm.gui.docks.compare.panes import Panes
from napari_pogmdm.gui.docks.compare.pins_page import PinsPage, pin_of
from napari_pogmdm.gui.docks.compare.queue import ComparisonRow, spread_slices
from napari_pogmdm.gui.docks.compare.region_page import RegionPage
from napari_pogmdm.gui.docks.compare.results_box import ResultsBox
from napari_pogmdm.gui.docks.compare.runner import ComparisonRunner
from napari_pogmdm.gui.docks.compare.slice_page import SlicePage
from napari_pogmdm.gui.layers.view import COMPARE, Arrangement
from napari_pogmdm.rivals.weights import memory_notice
from napari_pogmdm.runs.roles import Role

if TYPE_CHECKING:
    from napari.layers import Image
    from napari.viewer import Viewer


class CompareDock(Dock):
    """Runs methods in the background and shows what came of them."""

    heading = "Compare"
    upright = False
    page = "compare"
    view = COMPARE
    explanation = (
        "<b>What is this?</b> The same samples <i>y</i>, reconstructed by each ticked method and "
        "compared with the full scan: |<i>x</i>| RSS(<i>s</i>) at one contrast; errors five times brighter."
    )
    equations = "eqs. (19) and (26)"

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self._viewer = self.workbench.viewer
        self._layers = ComparisonLayers(self.workbench.book, self.workbench.canvas)
        self._exporter = self.make_worker("pogmdm exporting")
        self.runner = ComparisonRunner(self)
        self.methods = MethodsBox(self.session)
        self.results = ResultsBox()
        self.pins_page = PinsPage(self.workbench)
        self.region_page, self.coil_page, self.slice_page = RegionPage(), CoilPage(), SlicePage(self._viewer)
        self._lay_out()
        self._connect()
        self._scan_changed()
        self._list_regions()
        self._show_rows()
        self._show_pins()

    def _lay_out(self) -> None:
        panes = Panes(
            self.methods,
            {"Methods": self.results, "Pinned runs": self.pins_page},
            {"Region": self.region_page, "Coils": self.coil_page, "Slices": self.slice_page},
        )
        self.tables = panes.tables
        self.tables.setCornerWidget(self.results.remark)
        self.tables.currentChanged.connect(lambda place: self.results.remark.setVisible(place == 0))
        self.column.addWidget(panes, 1)

    def _connect(self) -> None:
        self.runner.changed.connect(self._show_rows)
        self.runner.arrived.connect(self._show_image)
        self.runner.progressed.connect(self._show_progress)
        self.runner.ended.connect(self._ended)
        self.methods.run.clicked.connect(self._guarded(self._run_or_cancel))
        self.methods.checkpoint.clicked.connect(self._guarded(self.checkpoint_dialog))
        self.results.side_by_side.clicked.connect(self._guarded(self._toggle_grid))
        self.results.errors.toggled.connect(self._guarded(self._rearrange))
        self.results.pin.clicked.connect(self._guarded(self._pin))
        self.results.save.clicked.connect(self._guarded(self.save_dialog))
        self.results.table.itemDoubleClicked.connect(self._show_one)
        self.coil_page.show_maps.clicked.connect(self._guarded(self._show_maps))
        self.region_page.begin.clicked.connect(self._guarded(self._begin_region))
        self.region_page.changed.connect(self._show_region)
        events, layers = self.session.events, self._viewer.layers.events
        self.listen(events.measurement, self._measurement_changed)
        self.listen(events.scan, self._scan_changed)
        self.listen(events.prior, self._model_changed)
        self.listen(self.workbench.canvas.arranged, self._grid_changed)
        for event in (events.pins, events.result):
            self.listen(event, self._show_pins)
        for event in (layers.inserted, layers.removed):
            self.listen(event, self._list_regions)

    @property
    def busy(self) -> bool:
        """Whether methods are being run."""
        return self.runner.busy

    @property
    def rows(self) -> list[ComparisonRow]:
        """The rows of the table, in the order in which they were added."""
        return self.runner.rows

    def _guarded(self, action: Callable[[], None]) -> Callable[..., None]:
        """Turn anything that the user cannot have into one sentence."""

        def act(*_: object) -> None:
            try:
                action()
            except InputError as error:
                self.workbench.tell(as_notice(error, "compare"))
                self._grid_changed()

        return act

    # running

    def _run_or_cancel(self) -> None:
        if self.busy:
            self.runner.cancel()
            return
        session, chosen = self.session, self.methods.ticked
        if self.runner.cases is None or self.runner.cases.measurement is not session.measurement:
            cases = SliceCases.of(session)
            self._layers.remove(self.rows, chosen)
            self.runner.compare_on(cases, session.slice_index)
        count = len(session.scan) if session.scan is not None else 1
        slices = spread_slices(min(self.methods.slices.value(), count), count, session.slice_index)
        self.runner.start(chosen, slices, session.seed)

    def _show_progress(self, label: str, fraction: float) -> None:
        self.methods.show_progress(label, fraction, running=True)
        self._show_table()

    def _ended(self, complete: bool) -> None:
        word, fraction = ("done", 1.0) if complete else ("cancelled", 0.0)
        self.methods.show_progress(word, fraction, running=False)
        if complete and self.runner.comparison.done:
            self._arrange()

    def _measurement_changed(self) -> None:
        if self.busy:
            self.runner.cancel()
            self.workbench.tell(
                Notice(NoticeKind.INFORMATION, "compare: stopped, because mask or slice changed; run again.")
            )
        self.methods.follow_measurement(self.session.measurement)
        self._show_table()

    def _scan_changed(self) -> None:
        self.methods.offer_slices(1 if self.session.scan is None else len(self.session.scan))

    def _model_changed(self) -> None:
        self.methods.model.follow_session()

    # showing

    def _show_image(self, row: ComparisonRow) -> None:
        if self.runner.cases is not None:
            self._layers.show(row, self.runner.cases.reference)

    def _show_rows(self) -> None:
        self._show_table()
        self.coil_page.show_rows(self.rows)
        self.slice_page.show_rows(self.rows)
        self._show_region()

    def _show_table(self) -> None:
        cases, remark = self.runner.cases, ""
        if cases is not None and cases.measurement is not self.session.measurement:
            remark = "Earlier mask or slice: run again."
            self._layers.mark(self.rows, "earlier mask")
        elif cases is not None and cases.reference is None:
            remark = "No reference: images without numbers."
        self.results.show_rows(self.rows, remark, None if cases is None else cases.measurement)

    def _arrange(self) -> None:
        """Show several selected images side by side, or else all."""
        done = self.runner.comparison.done
        few = self.results.selected(done)
        self._layers.arrange(few if len(few) > 1 else done, self.results.errors.isChecked())

    def _rearrange(self) -> None:
        if self._layers.arranged:
            self._arrange()

    def _toggle_grid(self) -> None:
        if self.results.side_by_side.isChecked():
            self._arrange()
        else:
            self._layers.leave()

    def _grid_changed(self) -> None:
        self.results.side_by_side.setChecked(self._layers.arranged)

    def _show_one(self, item: QTableWidgetItem) -> None:
        """Bring the image of a row to the front, alone."""
        row = next(row for row in self.rows if row.choice.label == self.results.table.keys[item.row()])
        self._layers.show_one(row)

    def _pin(self) -> None:
        """Keep the images of the selected methods, or of all, whatever mask comes next."""
        cases, done = self.runner.cases, self.runner.comparison.done
        if cases is None or not done:
            raise InputError("compare: there is nothing to pin yet; run some methods first.")
        for row in self.results.selected(done) or done:
            self.workbench.pins.pin_method(pin_of(row, cases.reference), cases.measurement)
        self.tables.setCurrentWidget(self.pins_page)

    def _show_pins(self) -> None:
        self.pins_page.refresh()
        count = len(self.session.pins)
        self.tables.setTabText(1, f"Pinned runs ({count})" if count else "Pinned runs")

    def _show_maps(self) -> None:
        self._layers.arrange_residuals(self.runner.comparison.done)

    # regions

    def _show_region(self) -> None:
        cases = self.runner.cases
        self.region_page.show_rows(self.rows, None if cases is None else cases.reference, self._image_to_draw_on())

    def _image_to_draw_on(self) -> Image | None:
        images = self._layers.layers(self.runner.comparison.done)
        return images[0] if images else self.workbench.book.get(Role.REFERENCE)

    def _begin_region(self) -> None:
        image = self._image_to_draw_on()
        if image is not None:
            self.workbench.canvas.present(COMPARE, [image], arrangement=Arrangement.ONE)
        self.workbench.canvas.adopt(self.region_page.draw(self._viewer, image), COMPARE)

    def _list_regions(self) -> None:
        self.region_page.offer(self._viewer.layers)

    # files

    def checkpoint_dialog(self) -> None:
        """Ask for a checkpoint of a network and put it on the list."""
        path, _ = QFileDialog.getOpenFileName(self, "Open a checkpoint", "", CHECKPOINT_FILTER)
        if path:
            self.add_checkpoint(path)

    def add_checkpoint(self, path: str) -> None:
        """Load a checkpoint in the background and put its network on the list, ticked."""
        notice = memory_notice(path)
        if notice:
            self.workbench.tell(Notice(NoticeKind.INFORMATION, notice))
        name = Path(path).name
        self._exporter.submit(name, lambda cancelled: checkpoint_choice(None, path), self.methods.add_choice)

    def save_dialog(self) -> None:
        """Ask for a file and export in the background."""
        if not self.runner.comparison.done:
            raise InputError("compare: there is nothing to export yet; run some methods first.")
        path, _ = QFileDialog.getSaveFileName(self, "Export a comparison", "comparison.csv", FILE_FILTER)
        if path:
            self.export(Path(path))

    def export(self, path: Path) -> None:
        """Write the comparison as the ending of the file's name asks."""
        cases, rows = self.runner.cases, list(self.rows)
        if cases is None:
            raise InputError("compare: there is nothing to export yet; run some methods first.")
        measurement, book = cases.measurement, self.workbench.book
        coils = f"{measurement.kspace.shape[0]} of {measurement.physical_coils} coils"
        title = f"{measurement.source}: {measurement.sampling.describe()}, {coils}"
        pixel, unit = book.geometry.pixel, book.geometry.unit

        def job(cancelled: Callable[[], bool]) -> list[Path]:
            return export(path, rows, cases.reference, title, pixel, unit)

        def written(paths: list[Path]) -> None:
            more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            self.workbench.tell(Notice(NoticeKind.INFORMATION, f"Saved {paths[0].name}{more}."))

        self._exporter.submit(path.name, job, written)
