"""Drawing a mask in the window: from strokes on the layer to the mask of the session, and back to what is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qtpy.QtCore import QObject, QTimer, Signal

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.sampling.brush import Brush, Cell, Symmetry
from napari_pogmdm.gui.docks.sampling.canvas import DrawingCanvas
from napari_pogmdm.gui.docks.sampling.drawing import Drawing
from napari_pogmdm.gui.docks.sampling.layer import MaskLayer
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.sampling.trajectory_recipe import TrajectoryRecipe

if TYPE_CHECKING:
    from napari.utils.events import Event

    from napari_pogmdm.gui.core.workbench import Workbench

_RETRY_MILLISECONDS = 10  # until the background is asked again whether it is free; a preview takes tens of them
_PAINT_MILLISECONDS = 30  # that a stroke may wait for its images: two frames of a screen, which look like "at once"


class MaskDrawingController(QObject):
    """Lets strokes on the canvas draw the mask of the session.

    While a stroke goes on, the session gets the newest mask as often as the background has finished with the last
    one, so that the images follow the strokes and nothing piles up. The stroke itself is painted together with what it
    does, or a moment later if that takes longer: painting the window costs more than the images in it.

    Parameters
    ----------
    workbench
        Whose session gets the masks.
    parent
        With which this ends.

    Attributes
    ----------
    drawing
        What is being drawn; ``None`` until a mask and a scan are there.
    active
        Whether strokes on the canvas draw.
    brush, size, erasing, symmetry
        Form of the brush, its diameter in samples, whether it erases, and the mirror images painted with a stroke.
    layer, canvas
        The mask upon k-space, and what is shown around it.
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
        self.canvas = DrawingCanvas(workbench)
        self.drawing: Drawing | None = None
        self.active = False
        self.brush, self.size, self.erasing, self.symmetry = Brush.COLUMN, 1, False, Symmetry()
        self._sent: MaskRecipe | Mask | None = None
        self._unsent = self._unpainted = False
        self._painted_elsewhere = False
        self._sending = self._single_shot(self._send)
        self._arranging = self._single_shot(self._arrange)  # napari selects a layer after it has told of its arrival
        self._painting = self._single_shot(self._paint)
        events = self._session.events
        self._listening = (
            (events.mask, self._mask_arrived),
            (events.preview, self._paint),
            (events.acquisition, self._scan_arrived),
            (workbench.viewer.layers.events.inserted, self._layer_arrived),
        )
        for event, slot in self._listening:
            event.connect(slot)

    def _single_shot(self, action: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(action)
        return timer

    def close(self) -> None:
        """Stop listening."""
        for event, slot in self._listening:
            event.disconnect(slot)
        self.layer.close()

    def start(self) -> None:
        """Show k-space, the mask upon it and the point spread beside it, and let strokes draw."""
        if self._session.acquisition is None:
            raise InputError("mask: there is no scan to draw on; open one first.")
        if self._session.trajectory is not None:
            raise InputError("mask: samples lie along a trajectory; choose a mask on the grid first.")
        if self.active:
            return
        self.active = True
        self.canvas.open()
        if self.drawing is None or self._session.mask_request is not self._sent:
            self.drawing = None
            self._mask_arrived()
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
        self.canvas.close()
        self.changed.emit()

    def fit(self) -> None:
        """Fit what matters now into the canvas."""
        self.canvas.fit()

    def look_closely(self, closely: bool) -> None:
        """Fill the canvas with k-space, or show everything again."""
        self.canvas.close_up = closely
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
        self.change(Drawing.finish)

    def paint_at(self, cell: Cell) -> None:
        """Press the brush onto one cell; a line is drawn to it from where the last stroke ended."""
        if self.drawing is None:
            return
        before = self.drawing.end
        self.press(before if self.brush is Brush.LINE and before is not None else cell)
        self.move(cell)
        self.lift()

    def change(self, how: Callable[[Drawing], None]) -> None:
        """Change the drawing as a whole, such as by `Drawing.undo`; what the file does not hold is told."""
        if self.drawing is not None:
            how(self.drawing)
            self._touched()
            self._tell_refused()

    def take_over(self) -> None:
        """Accept what napari's own tools are painting, once they have."""
        self._painted_elsewhere = True
        self._touched()

    def choose(self, brush: Brush) -> None:
        """Take another brush."""
        self.brush = brush
        self.changed.emit()

    def erase(self, erasing: bool) -> None:
        """Erase from now on, or paint again."""
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

    def _tell_refused(self) -> None:
        drawing = self.drawing
        if drawing is None or not drawing.refused or self._session.acquisition is None:
            return
        text = f"{drawing.refused} samples are not in {self._session.acquisition.source}; only those it holds count."
        drawing.refused = 0
        self.said.emit(text)
        self._workbench.viewer.status = text

    def _touched(self) -> None:
        self._unsent = self._unpainted = True
        if not self._sending.isActive():
            self._sending.start(0)
        if not self._painting.isActive():
            self._painting.start(_PAINT_MILLISECONDS)

    def _paint(self) -> None:
        """Show the newest state of the drawing."""
        if self._unpainted and self.drawing is not None:
            self._unpainted = False
            self.layer.update(self.drawing.samples, self.drawing.allowed)
            self.changed.emit()

    def _send(self) -> None:
        """Have the newest state measured, as soon as the background is free."""
        drawing = self.drawing
        if drawing is None or not self._unsent:
            return
        if self._painted_elsewhere:
            self._painted_elsewhere = False
            painted = self.layer.samples()
            if painted is not None:
                self.change(lambda drawing: drawing.replace_samples(painted, "with napari's tools"))
        self._workbench.loader.deliver()
        if self._workbench.loader.measuring:
            self._sending.start(_RETRY_MILLISECONDS)
            return
        self._unsent = False
        try:
            request = drawing.request()
        except InputError as error:
            self._paint()
            self.said.emit(f"{error} Until then the last mask stays in use.")
            return
        if not drawing.refused:
            self.said.emit("")
        self._sent = request
        self._session.mask_request = request

    def _mask_arrived(self) -> None:
        """Follow a mask that was not drawn here, such as one by rule."""
        session = self._session
        mask, acquisition, request = session.mask, session.acquisition, session.mask_request
        if not self.active or mask is None or acquisition is None or mask.shape != acquisition.shape:
            return
        if isinstance(request, TrajectoryRecipe):
            return
        if request is self._sent and (isinstance(request, Mask) or self._unsent):
            return
        if self.drawing is None or self.drawing.shape != mask.shape:
            self.drawing = Drawing(mask, request, acquisition.mask)
        else:
            self.drawing.allowed = acquisition.mask
            self.drawing.restart(mask, request)
        self._sent = request
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

    def _layer_arrived(self, event: Event) -> None:
        if self.active and self.canvas.holds(event.value):
            self._arranging.start(0)

    def _arrange(self) -> None:
        self._show()
        self.fit()

    def _show(self) -> None:
        under = self.canvas.kspace
        if self.active and self.drawing is not None and under is not None:
            new = self.layer.layer is None
            self.layer.show(self.drawing.samples, self.drawing.allowed, under)
            if new and self.layer.layer is not None:
                self.canvas.hold(self.layer.layer)
                self._hold()

    def _hold(self) -> None:
        if self.active:
            self.layer.hold(self.erasing, self.size)
