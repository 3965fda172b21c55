"""Drawing a mask in the window: from strokes on the layer to the mask of the session, and back to what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qtpy.QtCore import QObject, QTimer, Signal

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.mask.brush import Brush, Cell, Symmetry
from napari_pogmdm.gui.docks.mask.drawing import Drawing
from napari_pogmdm.gui.docks.mask.layer import MaskLayer
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.mask_recipe import MaskRecipe
from napari_pogmdm.runs.roles import LIVE_ROLES
from napari_pogmdm.runs.status import RunStatus

if TYPE_CHECKING:
    from napari_pogmdm.gui.core.workbench import Workbench

_SOON_MILLISECONDS = 10
_BLINK_MILLISECONDS = 30
_BESIDE = ("k-space", "point spread")


class MaskStudio(QObject):
    """Holds the brush.

    While a stroke goes on, the session gets the newest mask as often as the background has finished with the last
    one, so that the pictures follow the hand and nothing piles up. The stroke itself is painted together with what it
    does, or a blink later if that takes longer: painting the window costs more than the pictures in it.

    Attributes
    ----------
    drawing
        What is being drawn; ``None`` until a mask and a scan are there.
    active
        Whether strokes on the canvas draw.
    brush, size, erasing, symmetry
        The brush in the hand.
    close_up
        Whether k-space fills the canvas while drawing.
    changed
        Signal: any of these changed.
    said
        Signal with a sentence for the user; empty when all is well again.
    """

    changed = Signal()
    said = Signal(str)

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._session = workbench.session
        self.layer = MaskLayer(workbench.viewer, self)
        self.drawing: Drawing | None = None
        self.active = False
        self.brush, self.size, self.erasing, self.symmetry = Brush.COLUMN, 1, False, Symmetry()
        self.close_up = False
        self._sent: MaskRecipe | Mask | None = None
        self._dirty = self._unpainted = False
        self._elsewhere = False
        self._shown_before: dict[str, bool] = {}
        self._covering: list[Any] = []
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._send)
        self._arranging = QTimer(self)  # napari selects a layer after it has told of its arrival
        self._arranging.setSingleShot(True)
        self._arranging.timeout.connect(self._arrange)
        self._blink = QTimer(self)
        self._blink.setSingleShot(True)
        self._blink.timeout.connect(self._paint)
        self._session.events.mask.connect(self._mask_arrived)
        self._session.events.preview.connect(self._paint)
        self._session.events.acquisition.connect(self._scan_arrived)
        self._session.events.status.connect(self._uncover)
        workbench.viewer.layers.events.inserted.connect(self._layer_arrived)

    def close(self) -> None:
        """Stop listening."""
        self._session.events.mask.disconnect(self._mask_arrived)
        self._session.events.preview.disconnect(self._paint)
        self._session.events.acquisition.disconnect(self._scan_arrived)
        self._session.events.status.disconnect(self._uncover)
        self._workbench.viewer.layers.events.inserted.disconnect(self._layer_arrived)
        self.layer.close()

    def start(self) -> None:
        """Show k-space, the mask upon it and the point spread beside it, and let strokes draw."""
        session, book = self._session, self._workbench.book
        if session.acquisition is None:
            raise InputError("mask: there is no scan to draw on; open one first.")
        if self.active:
            return
        self.active = True
        self._workbench.grid.restore()
        self._shown_before = {role: _shown(book.get(role)) for role in _BESIDE}
        self._cover()
        if self.drawing is None or session.mask_request is not self._sent:
            self.drawing = None
            self._mask_arrived()
        self._workbench.views.ask("k-space", True)
        book.ask("point spread")
        if session.preview is not None:
            book.show("point spread", session.preview.point_spread)
        self._show()
        self.fit()
        self.changed.emit()

    def stop(self) -> None:
        """Put the brush down; the mask stays as it was drawn."""
        if not self.active:
            return
        self.active = False
        if self.drawing is not None:
            self.drawing.finish()
        self.layer.remove()
        book = self._workbench.book
        for role, before in self._shown_before.items():
            book.ask(role, before)
        self._uncover()
        image = book.get("image") or book.get("zero-filled")
        if image is not None:
            self._workbench.viewer.layers.selection.active = image
        self.fit()
        self.changed.emit()

    def _cover(self) -> None:
        """Hide the pictures of a run that rests: they would hide what the mask does."""
        found = [self._workbench.book.get(role) for role in LIVE_ROLES]
        self._covering = [] if self._session.status.phase.busy else [layer for layer in found if _shown(layer)]
        for layer in self._covering:
            layer.visible = False

    def _uncover(self, status: RunStatus | None = None) -> None:
        """Show them again: when drawing ends, or a run goes on."""
        if self._covering and (status is None or status.phase.busy):
            covering, self._covering = self._covering, []
            for layer in covering:
                layer.visible = True

    def fit(self) -> None:
        """Fit what matters now into the canvas: the image, and beside it k-space and point spread while drawing."""
        book = self._workbench.book
        wanted: tuple[str, ...] = ("zero-filled", "image")
        if self.active:
            wanted = ("k-space",) if self.close_up else ("zero-filled", *_BESIDE)
        layers = [layer for role in wanted if (layer := book.get(role)) is not None]
        if layers:
            self._workbench.fit(layers)

    def look_closely(self, closely: bool) -> None:
        """Fill the canvas with k-space, or show everything again."""
        self.close_up = closely
        self.fit()

    def press(self, cell: Cell) -> None:
        """Begin a stroke."""
        if self.drawing is not None:
            self.drawing.begin(self.brush, cell, erase=self.erasing, size=self.size, symmetry=self.symmetry)
            self._touched()

    def move(self, cell: Cell) -> None:
        """Draw on."""
        if self.drawing is not None:
            self.drawing.extend(cell)
            self._touched()

    def lift(self) -> None:
        """End a stroke."""
        self._do("finish")

    def paint_at(self, cell: Cell) -> None:
        """Press the brush onto one cell; a line is drawn to it from where the last stroke ended."""
        if self.drawing is None:
            return
        before = self.drawing.end
        self.press(before if self.brush is Brush.LINE and before is not None else cell)
        self.move(cell)
        self.lift()

    def undo(self) -> None:
        """Take the last change back."""
        self._do("undo")

    def redo(self) -> None:
        """Make it again."""
        self._do("redo")

    def clear(self) -> None:
        """Sample nothing."""
        self._do("clear")

    def invert(self) -> None:
        """Sample what was not, and not what was."""
        self._do("invert")

    def fill_lines(self, count: int, axis: str) -> None:
        """Sample the middle lines."""
        self._do("fill_lines", count, axis)

    def fill_square(self, count: int) -> None:
        """Sample the middle square."""
        self._do("fill_square", count)

    def take_over(self) -> None:
        """Accept what napari's own tools are painting, once they have."""
        self._elsewhere = True
        self._touched()

    def choose(self, brush: Brush) -> None:
        """Take another brush."""
        self.brush = brush
        self.changed.emit()

    def erase(self, erasing: bool) -> None:
        """Turn the brush around."""
        if erasing != self.erasing:
            self.erasing = erasing
            self._hold()
            self.changed.emit()

    def resize(self, size: int) -> None:
        """Take a thicker or thinner brush."""
        if size != self.size:
            self.size = size
            self._hold()
            self.changed.emit()

    def dismissed(self) -> None:
        """Stop drawing: the layer was deleted."""
        self.stop()

    def _do(self, change: str, *how: Any) -> None:
        if self.drawing is None:
            return
        getattr(self.drawing, change)(*how)
        self._touched()
        self._tell_refused()

    def _tell_refused(self) -> None:
        drawing = self.drawing
        if drawing is None or not drawing.refused or self._session.acquisition is None:
            return
        text = f"{drawing.refused} samples are not in {self._session.acquisition.source}; only those it holds count."
        drawing.refused = 0
        self.said.emit(text)
        self._workbench.viewer.status = text

    def _touched(self) -> None:
        self._dirty = self._unpainted = True
        if not self._soon.isActive():
            self._soon.start(0)
        if not self._blink.isActive():
            self._blink.start(_BLINK_MILLISECONDS)

    def _paint(self) -> None:
        """Show the newest state of the drawing."""
        if self._unpainted and self.drawing is not None:
            self._unpainted = False
            self.layer.update(self.drawing.samples, self.drawing.allowed)
            self.changed.emit()

    def _send(self) -> None:
        """Have the newest state measured, as soon as the background is free."""
        drawing = self.drawing
        if drawing is None or not self._dirty:
            return
        if self._elsewhere:
            self._elsewhere = False
            painted = self.layer.samples()
            if painted is not None:
                self._do("replace_samples", painted, "with napari's tools")
        self._workbench.loader.deliver()
        if self._workbench.loader.measuring:
            self._soon.start(_SOON_MILLISECONDS)
            return
        self._dirty = False
        try:
            wish = drawing.wish()
        except InputError as error:
            self._paint()
            self.said.emit(f"{error} Until then the last mask stays in use.")
            return
        if not drawing.refused:
            self.said.emit("")
        self._sent = wish
        self._session.mask_request = wish

    def _mask_arrived(self) -> None:
        """Follow a mask that was not drawn here, such as a preset."""
        session = self._session
        mask, acquisition, wish = session.mask, session.acquisition, session.mask_request
        if not self.active or mask is None or acquisition is None or mask.shape != acquisition.shape:
            return
        if wish is self._sent and (isinstance(wish, Mask) or self._dirty):
            return
        if self.drawing is None or self.drawing.shape != mask.shape:
            self.drawing = Drawing(mask, wish, acquisition.mask)
        else:
            self.drawing.allowed = acquisition.mask
            self.drawing.restart(mask, wish)
        self._sent = wish
        self._show()
        self.changed.emit()

    def _scan_arrived(self) -> None:
        acquisition, drawing = self._session.acquisition, self.drawing
        if drawing is None or acquisition is None:
            return
        if drawing.shape == acquisition.shape:
            drawing.allowed = acquisition.mask
        else:
            self.drawing = None
            self._sent = None
            self.layer.remove()
        self._show()

    def _layer_arrived(self, event: Any) -> None:
        if self.active and self._workbench.book.role_of(event.value) in _BESIDE:
            self._arranging.start(0)

    def _arrange(self) -> None:
        self._show()
        self.fit()

    def _show(self) -> None:
        under = self._workbench.book.get("k-space")
        if self.active and self.drawing is not None and under is not None:
            new = self.layer.layer is None
            self.layer.show(self.drawing.samples, self.drawing.allowed, under)
            if new:
                self._hold()

    def _hold(self) -> None:
        if self.active:
            self.layer.hold(self.erasing, self.size)


def _shown(layer: Any) -> bool:
    return layer is not None and bool(layer.visible)
