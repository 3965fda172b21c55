"""The one owner of the canvas: it shows exactly one view at a time, arranges and fits it, and finds the way back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from psygnal import Signal

from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.camera import Camera, extent_of
from napari_pogmdm.gui.layers.cast import Cast
from napari_pogmdm.gui.layers.cells import PanelPlace, cells_of
from napari_pogmdm.gui.layers.stage import Stage
from napari_pogmdm.gui.layers.view import IMAGE, Arrangement, View, usual_views

if TYPE_CHECKING:
    from napari.layers import Layer
    from napari.utils.events import Event
    from napari.viewer import Viewer

_REMEMBERED = 20  # views to go back through; nobody remembers more


class Canvas:
    """What is seen in one viewer.

    Docks choose the panels of their views and ask for a view to be shown. Layers that are not in the view are hidden;
    those that somebody else added stay as they were in the view in which they were seen. Whoever shows or hides a layer
    with napari's own buttons changes the view that is shown.

    Parameters
    ----------
    viewer
        Whose canvas it is.
    book
        Knows the layers of roles.
    camera
        Looks at the canvas.

    Attributes
    ----------
    views
        All views by name.
    shown
        Name of the view that is seen.
    offered
        Name of the view that belongs to the dock which was chosen last.
    make
        Called with every role of a view that is about to be shown but has no layer yet.
    ready
        For views that can be shown before they have a layer: whether now.
    changed
        Tells the name of every view that is shown from now on.
    arranged
        Tells that panels, their places or what is offered changed.
    """

    changed = Signal(str)
    arranged = Signal()

    def __init__(self, viewer: Viewer, book: LayerBook, camera: Camera) -> None:
        self._viewer = viewer
        self._book = book
        self._camera = camera
        self.views = usual_views()
        self.shown = IMAGE
        self.offered = ""
        self.make: Callable[[str], None] = lambda role: None
        self.ready: dict[str, Callable[[], bool]] = {}
        self._before: list[str] = []
        self._cast = Cast(viewer, book)
        self._stage = Stage(viewer)
        self._seen: tuple[object, ...] = ()
        self._unsettled = False
        book.asked, book.in_view = self.ask, self.holds
        self._listening = (
            (viewer.layers.events.inserted, self._inserted),
            (viewer.layers.events.removed, self._removed),
            (viewer.canvas.grid.events.enabled, self._grid_switched),
            (viewer.canvas.events.size, self._resized),
            (viewer.events.reset_view, self._reset),
        )
        for event, slot in self._listening:
            event.connect(slot)
        for layer in viewer.layers:
            layer.events.visible.connect(self._eye)

    @property
    def view(self) -> View:
        """The view that is seen."""
        return self.views[self.shown]

    def show(self, name: str) -> None:
        """Show a view; the one before comes back with `back`."""
        if name != self.shown:
            self._leave()
            self._before = [*self._before[-_REMEMBERED:], self.shown]
            self.shown = name
            self.offered = ""
            self._arrange(returning=True)
            self.changed.emit(name)
        else:
            self._arrange()

    def back(self, name: str = "") -> None:
        """Show the view before, if the named one is seen now; the image where there is none."""
        if name and name != self.shown:
            return
        before = [one for one in self._before if one != self.shown and self.available(one)]
        self.show(before[-1] if before else IMAGE)
        self._before = before[:-1]

    def offer(self, name: str) -> None:
        """Point at a view without showing it."""
        offered = name if name in self.views and name != self.shown and self.available(name) else ""
        if offered != self.offered:
            self.offered = offered
            self.arranged.emit()

    def present(
        self,
        name: str,
        panels: Sequence[str | Layer],
        *,
        linked: Sequence[Collection[str | Layer]] = (),
        columns: int = 0,
        paired: bool = False,
        arrangement: Arrangement = Arrangement.GRID,
    ) -> None:
        """Give a view these panels and show it.

        Parameters
        ----------
        name
            Of the view.
        panels
            Roles and layers, in order.
        linked
            Groups that keep one contrast: changing it in one changes it in all of the group.
        columns, paired, arrangement
            See `View`.
        """
        view = self.views[name]
        view.chosen = [panel if isinstance(panel, str) else self._book.role_of(panel) or panel for panel in panels]
        view.linked, view.front = tuple(linked), None
        view.columns, view.paired, view.arrangement = columns, paired, arrangement
        self.show(name)

    def ask(self, role: str, on: bool = True) -> None:
        """Show or hide a role because the user asked: in the view that is seen if it belongs there, else in its own."""
        home = self._home(role)
        home.choose(role, on)
        if home is self.view or (on and self.available(home.name)):
            self.show(home.name)

    def choose(self, name: str, panel: str | Layer, on: bool = True) -> None:
        """Add a panel to a view or take it away, whichever view is seen."""
        self.views[name].choose(panel, on)
        if name == self.shown:
            self._arrange()

    def chosen(self, role: str) -> bool:
        """Whether a role is in the view to which it belongs now, as `ask` has it."""
        return role in self._home(role).chosen and not self._book.dismissed(role)

    def arrange_as(self, arrangement: Arrangement) -> None:
        """Let the panels of the view stand in another way."""
        self.view.arrangement = arrangement
        self._arrange()

    def adopt(self, layer: Layer, name: str) -> None:
        """Let a layer that is no picture, such as a mask under the brush, be seen in one view only."""
        self._cast.adopt(layer, name)
        self._arrange()

    def holds(self, role: str) -> bool:
        """Whether the view that is seen has a place for a role."""
        view = self.view
        alone = view.arrangement is Arrangement.ONE and view.front is not None
        return role == view.front if alone else role in view.chosen

    def available(self, name: str) -> bool:
        """Whether a view has something to show, or can have it made."""
        return self.ready[name]() if name in self.ready else bool(self._cast.layers(self.views[name]))

    def panels(self) -> list[Layer]:
        """Give the layers that are seen as panels, in order."""
        return self._cast.panels(self.view)

    def cells(self) -> list[PanelPlace]:
        """Give the place of every panel on the canvas."""
        return cells_of(self._viewer, self.panels())

    def fit(self) -> None:
        """Fit what is seen into the canvas, and nothing else."""
        self._camera.fit(self.panels())

    def touch(self) -> None:
        """Have titles written anew, and the view arranged if panels became larger or smaller."""
        panels = self.panels()
        if panels and self._seen[1:2] != (extent_of(panels),):
            self._unsettled = True
        self.arranged.emit()

    def settle(self) -> None:
        """Arrange anew what came or went since; the window's timer calls it."""
        if self._unsettled:
            self._arrange()

    def close(self) -> None:
        """Stop listening to the viewer."""
        for event, slot in self._listening:
            event.disconnect(slot)

    def _arrange(self, *, returning: bool = False) -> None:
        """Make the canvas show the view; ``returning`` looks where one looked when it was left."""
        view = self.view
        for role in view.chosen:
            if isinstance(role, str) and self._book.get(role) is None and not self._book.dismissed(role):
                self.make(role)
        self._unsettled = False
        panels = self.panels()
        beside = [layer for layer in self._cast.guests(view) if layer not in panels]
        gridded = view.arrangement is Arrangement.GRID and len(panels) > 1
        with self._stage.at_work():
            self._book.lay_out(gridded=view.arrangement is not Arrangement.ROW)
        step = 2 if view.paired else 1
        self._stage.set(panels, beside, gridded=gridded, columns=view.columns, step=step)
        self._stage.link([self._cast.layers(view, group) for group in view.linked])
        self._aim(view, panels, returning)
        self._book.changed()
        self.arranged.emit()

    def _aim(self, view: View, panels: list[Layer], returning: bool) -> None:
        """Look where one looked if the same is seen as then, and fit what is new."""
        if not panels:
            return
        extent = extent_of(panels)
        before, self._seen = self._seen, (view.name, extent, len(panels), bool(self._viewer.canvas.grid.enabled))
        if returning and view.camera is not None and view.camera.extent == extent:
            self._camera.look(view.camera.centre, view.camera.zoom)
        elif before != self._seen:
            self.fit()

    def _leave(self) -> None:
        """Remember where one looks at the view that is left, unless that follows from what it shows."""
        panels = self.panels()
        self.view.camera = self._camera.state(panels) if panels and self._camera.moved else None

    # layers

    def _home(self, role: str) -> View:
        """Find the view that a role is asked for in: the one that is seen, or else the first that has it."""
        view = self.view
        if role in view.roles or role in view.chosen:
            return view
        return next((one for one in self.views.values() if role in one.roles or role in one.chosen), view)

    def _inserted(self, event: Event) -> None:
        layer = event.value
        layer.events.visible.connect(self._eye)
        if self._book.role_of(layer) is None:
            self.view.guests[layer] = bool(layer.visible)
        self._unsettled = True

    def _removed(self, event: Event) -> None:
        for view in self.views.values():
            view.guests.pop(event.value, None)
            view.chosen = [panel for panel in view.chosen if panel is not event.value]
        self._cast.forget(event.value)
        self._unsettled = True

    # what others do to the canvas

    def _eye(self, event: Event) -> None:
        """Follow somebody who shows or hides a layer with napari's own buttons."""
        layer = event.source
        if self._stage.setting or self._book.making or layer not in self._viewer.layers:
            return
        role = self._book.role_of(layer)
        if role is not None or layer in self.view.chosen:
            self.view.choose(role if role is not None else layer, bool(layer.visible))
        else:
            self.view.guests[layer] = bool(layer.visible)
        self._unsettled = True

    def _grid_switched(self) -> None:
        if not self._stage.setting:
            self.arrange_as(Arrangement.GRID if self._viewer.canvas.grid.enabled else Arrangement.ONE)

    def _resized(self) -> None:
        if not self._camera.moved:
            self._unsettled, self._seen = True, ()
        self.arranged.emit()

    def _reset(self) -> None:
        self.fit()
        self.arranged.emit()
