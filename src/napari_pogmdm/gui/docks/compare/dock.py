"""The Compare dock: several methods on the same measurement, in a table, side by side and on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qtpy.QtCore import QTimer
from qtpy.QtWidgets import QFileDialog

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.case import Outcome, run_contender
from napari_pogmdm.gui.core.mailbox import Mailbox
from napari_pogmdm.gui.core.notices import Notice, NoticeKind, as_notice
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.compare.cases import Grounds
from napari_pogmdm.gui.docks.compare.export import KINDS, export
from napari_pogmdm.gui.docks.compare.layers import Gallery
from napari_pogmdm.gui.docks.compare.queue import Comparison, Row, Task, spread_slices
from napari_pogmdm.gui.docks.compare.table import method_values
from napari_pogmdm.gui.docks.compare.view import ComparePanes

if TYPE_CHECKING:
    from napari.layers import Image
    from napari.viewer import Viewer

_TICK_MILLISECONDS = 100


class CompareDock(Dock):
    """Queues methods in the background and shows what came of them."""

    heading = "Compare"
    page = "compare"
    explanation = (
        "<b>What am I seeing?</b> The same samples <i>y</i>, eq. (19), reconstructed by each ticked method and held "
        "against the full scan: |<i>x</i>| RSS(<i>s</i>), eq. (26), at one contrast; errors five times brighter."
    )

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self._viewer = self.workbench.viewer
        self._gallery = Gallery(self.workbench.book, self.workbench.grid)
        self._comparison = Comparison()
        self._grounds: Grounds | None = None
        self._worker = self.make_worker("pogmdm comparing", self._failed)
        self._exporter = self.make_worker("pogmdm exporting")
        self._mail: Mailbox[float] = Mailbox()
        self._add_panes()
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MILLISECONDS)
        self._timer.timeout.connect(self._show_progress)
        self.listen(self.session.events.measurement, self._measurement_changed)
        self.listen(self.session.events.scan, self._scan_changed)
        self.listen(self.session.events.prior, self._model_changed)
        self.listen(self.workbench.grid.changed, self._grid_changed)
        for event in (self._viewer.layers.events.inserted, self._viewer.layers.events.removed):
            self.listen(event, self._list_regions)
        self._scan_changed()
        self._list_regions()
        self._show_rows()

    def _add_panes(self) -> None:
        panes = ComparePanes(self._viewer, self.session)
        self.column.addWidget(panes, 1)
        self.methods, self.table, self.details = panes.methods, panes.table, panes.details
        self.run, self.slices, self.progress = panes.run, panes.slices, panes.progress
        self.side_by_side, self.errors, self.save, self.remark = (
            panes.side_by_side,
            panes.errors,
            panes.save,
            panes.remark,
        )
        self.run.clicked.connect(self._guarded(self._pressed))
        self.side_by_side.clicked.connect(self._guarded(self._toggle_grid))
        self.errors.toggled.connect(self._guarded(self._rearrange))
        self.save.clicked.connect(self._guarded(self.save_dialog))
        self.table.itemDoubleClicked.connect(self._show_one)
        self.details.coils.show_maps.clicked.connect(self._guarded(self._show_maps))
        self.details.region.begin.clicked.connect(self._guarded(self._begin_region))
        self.details.region.changed.connect(self._show_region)

    @property
    def busy(self) -> bool:
        """Whether methods are being run."""
        return self._timer.isActive()

    @property
    def rows(self) -> list[Row]:
        """The rows of the table, in the order in which they were added."""
        return self._comparison.rows

    def _guarded(self, action: Callable[[], None]) -> Callable[..., None]:
        """Turn anything that the user cannot have into one sentence."""

        def act(*_: object) -> None:
            try:
                action()
            except InputError as error:
                self.workbench.tell(as_notice(error, "compare"))
                self._grid_changed()

        return act

    def _pressed(self) -> None:
        if self.busy:
            self._cancel()
            return
        session = self.session
        if session.measurement is None or session.acquisition is None:
            missing = "the mask is still being applied" if session.acquisition is not None else "open a scan first"
            raise InputError(f"compare: {missing}.")
        chosen = self.methods.ticked
        if self._grounds is None or self._grounds.measurement is not session.measurement:
            self._gallery.take_down(self.rows, chosen)
            self._comparison = Comparison(session.slice_index)
            self._grounds = Grounds.of(session)
        count = len(session.scan) if session.scan is not None else 1
        self._comparison.add(chosen, spread_slices(min(self.slices.value(), count), count, session.slice_index))
        self.run.setText("&Cancel")
        self._timer.start()
        self._advance()

    def _advance(self) -> None:
        """Begin the next task, or end."""
        task, grounds = self._comparison.next(), self._grounds
        if task is None or grounds is None:
            self._settle("done")
            return
        mail, seed, index = Mailbox[float](), self.session.seed, task.slice_index
        self._mail = mail

        def job(cancelled: Callable[[], bool]) -> tuple[Task, Outcome]:
            return task, run_contender(task.contender, grounds(index), seed, mail.put, cancelled)

        self._worker.submit(task.contender.label, job, self._arrived)
        self._show_rows()

    def _arrived(self, result: tuple[Task, Outcome]) -> None:
        task, outcome = result
        self._comparison.finish(task, outcome)
        if self._grounds is not None and task.slice_index == self._comparison.shown_slice:
            self._gallery.hang(self._comparison.row_of(task), self._grounds.reference)
        self._advance()

    def _failed(self, notice: Notice) -> None:
        self.workbench.tell(notice)
        if self._comparison.current is not None:
            self._comparison.fail(self._comparison.current, notice.text)
            self._advance()

    def _cancel(self) -> None:
        self._worker.cancel()
        self._comparison.cancel()
        self._settle("cancelled")

    def _settle(self, word: str) -> None:
        self._timer.stop()
        self.run.setText("&Run")
        self.progress.setValue(1000 if word == "done" else 0)
        self.progress.setFormat(word)
        self._show_rows()
        if self._comparison.done and word == "done":
            self._arrange()

    def _show_progress(self) -> None:
        fraction, task = self._mail.take(), self._comparison.current
        if task is None:
            return
        if fraction is not None:
            self._comparison.row_of(task).fraction = fraction
            self._show_table()
        self.progress.setValue(round(1000 * self._comparison.fraction))
        self.progress.setFormat(task.contender.label)

    def _show_rows(self) -> None:
        self._show_table()
        self.details.coils.show_rows(self.rows)
        self.details.slices.show_rows(self.rows)
        self._show_region()

    def _show_table(self) -> None:
        self.table.show_rows([method_values(row) for row in self.rows])
        grounds = self._grounds
        if grounds is None:
            self.remark.setText("")
        elif grounds.measurement is not self.session.measurement:
            self.remark.setText("Earlier mask or slice: run again.")
        else:
            self.remark.setText("" if grounds.reference is not None else "No reference: images without figures.")

    def _chosen_rows(self) -> list[Row]:
        """Rows to look at: the selected ones if there are several, else all, if they have an image."""
        chosen = self.table.chosen
        done = self._comparison.done
        few = [row for row in done if row.contender.label in chosen]
        return few if len(few) > 1 else done

    def _arrange(self) -> None:
        self._gallery.arrange(self._chosen_rows(), self.errors.isChecked())

    def _rearrange(self) -> None:
        if self._gallery.arranged:
            self._arrange()

    def _toggle_grid(self) -> None:
        if self.side_by_side.isChecked():
            self._arrange()
        else:
            self._gallery.leave()
            self.workbench.show_all()

    def _grid_changed(self, owner: str = "") -> None:
        self.side_by_side.setChecked(self._gallery.arranged)

    def _show_one(self, item: Any) -> None:
        """Bring the image of a row to the front, alone."""
        row = next(row for row in self.rows if row.contender.label == self.table.keys[item.row()])
        self._gallery.leave()
        for layer in self._gallery.layers([row]):
            layer.visible = True
            self._viewer.layers.move(self._viewer.layers.index(layer), len(self._viewer.layers))
            self._viewer.layers.selection.active = layer

    def _show_maps(self) -> None:
        self._gallery.arrange_residuals(self._comparison.done)

    def save_dialog(self) -> None:
        """Ask for a file and export in the background."""
        if not self._comparison.done:
            raise InputError("compare: there is nothing to export yet; run some methods first.")
        path, _ = QFileDialog.getSaveFileName(self, "Export a comparison", "comparison.csv", KINDS)
        if path:
            self.export(Path(path))

    def export(self, path: Path) -> None:
        """Write the comparison as the ending of the file's name asks."""
        grounds, rows = self._grounds, list(self.rows)
        if grounds is None:
            raise InputError("compare: there is nothing to export yet; run some methods first.")
        measurement, book = grounds.measurement, self.workbench.book
        coils = f"{measurement.kspace.shape[0]} of {measurement.physical_coils} coils"
        title = f"{measurement.source}: {measurement.mask.describe()}, {coils}"
        pixel, unit = book.pixel, book.unit

        def job(cancelled: Callable[[], bool]) -> list[Path]:
            return export(path, rows, grounds.reference, title, pixel, unit)

        def written(paths: list[Path]) -> None:
            more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            self.workbench.tell(Notice(NoticeKind.INFORMATION, f"Saved {paths[0].name}{more}."))

        self._exporter.submit(path.name, job, written)

    def _show_region(self, event: Any = None) -> None:
        reference = None if self._grounds is None else self._grounds.reference
        self.details.region.show_rows(self.rows, reference, self._under_region())

    def _under_region(self) -> Image | None:
        """Give an image of the comparison, or the reference, to draw on."""
        images = self._gallery.layers(self._comparison.done)
        return images[0] if images else self.workbench.book.get("reference")

    def _begin_region(self) -> None:
        self.workbench.grid.restore()
        self.details.region.draw(self._viewer, self._under_region())
        self.workbench.show_all()

    def _list_regions(self, event: Any = None) -> None:
        self.details.region.offer(self._viewer.layers)

    def _measurement_changed(self, measurement: Any = None) -> None:
        if self.busy:
            self._cancel()
            self.workbench.tell(
                Notice(NoticeKind.INFORMATION, "compare: stopped, because mask or slice changed; run again.")
            )
        self.methods.follow_measurement(self.session.measurement)
        self._show_table()

    def _scan_changed(self, scan: Any = None) -> None:
        count = 1 if self.session.scan is None else len(self.session.scan)
        self.slices.setRange(1, count)
        self.slices.setEnabled(count > 1)

    def _model_changed(self, prior: Any = None) -> None:
        self.methods.model.follow_session()
