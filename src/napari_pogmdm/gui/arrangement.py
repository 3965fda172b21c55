"""All docks of the workbench at once, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from napari.settings import get_settings
from npe2 import PluginManager
from qtpy.QtCore import Qt, QTimer
from qtpy.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

from napari_pogmdm.gui.core.preferences import PLUGIN
from napari_pogmdm.gui.core.viewer import real_viewer
from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.folding import FoldedBottom
from napari_pogmdm.gui.presenter import Presenter
from napari_pogmdm.gui.room import Room, let_scroll, room_of
from napari_pogmdm.gui.tabbing import KeptTogether
from napari_pogmdm.gui.widgets.plots import by_letters

if TYPE_CHECKING:
    from napari.viewer import Viewer

RIGHT = ("Data", "Sampling", "Model", "Sampler", "Denoise", "Recordings")
BOTTOM = ("Trace", "Inspector", "Compare")
LEFT = ("Tour",)
"""A lesson speaks of the docks at the right and at the bottom, so it must not stand in their place."""

_LOW = 900  # pixels of height with usual letters; below it, napari's list of layers under its controls is cut short


def open_workbench(viewer: Viewer) -> Workbench:
    """Open all docks: the controls at the right, the plots at the bottom, Data and Trace in front."""
    inner = real_viewer(viewer)
    window: QMainWindow = inner.window._qt_window
    window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
    window.setTabPosition(Qt.DockWidgetArea.RightDockWidgetArea, QTabWidget.TabPosition.East)
    for area in (Qt.DockWidgetArea.BottomDockWidgetArea, Qt.DockWidgetArea.LeftDockWidgetArea):
        window.setTabPosition(area, QTabWidget.TabPosition.North)
    layers, controls = inner.window._qt_viewer.dockLayerList, inner.window._qt_viewer.dockLayerControls
    let_scroll(controls)  # before others come, or the window would grow
    right = [_dock(inner, name) for name in RIGHT]
    bottom = [_dock(inner, name) for name in BOTTOM]
    for group in (right, bottom):
        for before, after in pairwise(group):
            window.tabifyDockWidget(before, after)
    for group in (bottom, right):
        for dock in group[::-1]:
            dock.show()
            dock.raise_()
    left = [_dock(inner, name) for name in LEFT]
    room = room_of(window) or Room(window, right, bottom, [layers, controls, *left])
    if window.findChild(FoldedBottom) is None:
        FoldedBottom(window, partial(_open, inner, BOTTOM), Workbench.of(inner).session, lambda: room.bottom_height)
    low = window.height() < by_letters(_LOW)
    if low:
        _stack_layer_docks(window)
    for dock in left:
        _put_behind(window, layers if low else controls, dock)
    room.share_out()
    if Presenter.of(inner) is None:
        Presenter(inner, _dock(inner, LEFT[0]))
    if window.findChild(KeptTogether) is None:
        KeptTogether(window, (RIGHT, BOTTOM), partial(_find, inner))
    _open_dropped_scans_here()
    return Workbench.of(inner)


def open_for_lessons(viewer: Viewer, tall: bool) -> None:
    """Open the workbench if it is not, and bring the Tour to the front, at the left.

    Parameters
    ----------
    viewer
        In whose window it stands.
    tall
        Give it all of the left, and the plots at the bottom less; otherwise they reach from edge to edge.
    """
    inner = real_viewer(viewer)
    if _find(inner, RIGHT[0]) is None:
        open_workbench(inner)
    presenter = Presenter.of(inner)
    if presenter is not None and presenter.on:
        presenter.tidy()
        return
    window, layers = inner.window._qt_window, inner.window._qt_viewer.dockLayerList
    area = Qt.DockWidgetArea.LeftDockWidgetArea if tall else Qt.DockWidgetArea.BottomDockWidgetArea
    if window.corner(Qt.Corner.BottomLeftCorner) != area:
        window.setCorner(Qt.Corner.BottomLeftCorner, area)
    tour = _dock(inner, "Tour")
    if layers not in window.tabifiedDockWidgets(tour):
        window.tabifyDockWidget(tour, layers)  # a lesson needs the room, and shows and hides layers itself
    reveal(inner, "Tour")
    room = room_of(window)
    if room is not None:
        room.make_lesson_readable(tour)


def reveal(viewer: Viewer, name: str) -> None:
    """Bring a dock to the front, and open it first if need be."""
    inner = real_viewer(viewer)
    dock = _dock(inner, name)
    presenter = Presenter.of(inner)
    if presenter is None or presenter.allows(name):
        dock.show()
        dock.raise_()
        if presenter is not None:
            presenter.place(dock)


class OpenWorkbench(QWidget):
    """napari's menu makes a dock of every entry of a plugin: this one opens the others and leaves.

    Parameters
    ----------
    napari_viewer
        In whose window the docks are opened.
    """

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__()
        self._viewer = real_viewer(napari_viewer)
        QTimer.singleShot(0, self._enter)

    def _enter(self) -> None:
        self._viewer.window.remove_dock_widget(self)
        open_workbench(self._viewer)


def _put_behind(window: QMainWindow, front: QDockWidget, dock: QDockWidget) -> None:
    """Give two docks one place, the first of them in front; a dock that stood elsewhere moves there."""
    if dock not in window.tabifiedDockWidgets(front):
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
        window.tabifyDockWidget(front, dock)
        front.raise_()


def _area(name: str) -> str:
    return "bottom" if name in BOTTOM else "left" if name in LEFT else "right"


def _stack_layer_docks(window: QMainWindow) -> None:
    """Put napari's layer controls behind its layer list where there is no room for a useful list below them."""
    layers, controls = (window.findChild(QDockWidget, name) for name in ("layer list", "layer controls"))
    if layers is not None and controls is not None:
        window.tabifyDockWidget(layers, controls)
        layers.raise_()


def _open_dropped_scans_here() -> None:
    """Let napari give scans to this plugin without asking; its own reader claims .h5 files, too, but reads none.

    A choice that the user made in napari's preferences stays.
    """
    plugins = get_settings().plugins
    ours = {pattern: PLUGIN for pattern in ("*.h5", "*.hdf5") if pattern not in plugins.extension2reader}
    if ours:
        plugins.extension2reader = {**plugins.extension2reader, **ours}


def _dock(viewer: Viewer, name: str) -> QDockWidget:
    """Find a dock, however it was opened, or make it.

    napari's `add_plugin_dock_widget` calls docks by the plugin's name, but its menu looks for them by the name that is
    displayed, so each would open a dock that the other has already. This one goes by the menu's name.
    """
    dock = _find(viewer, name)
    if dock is None:
        widgets = PluginManager.instance().get_manifest(PLUGIN).contributions.widgets or ()
        make = next(widget for widget in widgets if widget.display_name == name).get_callable()
        dock = viewer.window.add_dock_widget(make(viewer), name=_title(name), area=_area(name))
    dock.setWindowTitle(name)
    return dock


def _find(viewer: Viewer, name: str) -> QDockWidget | None:
    found: QDockWidget | None = viewer.window._wrapped_dock_widgets.get(_title(name))
    return found


def _open(viewer: Viewer, names: Sequence[str]) -> list[QDockWidget]:
    """Give the docks of these names that are open."""
    return [dock for dock in (_find(viewer, name) for name in names) if dock is not None]


def _title(name: str) -> str:
    return f"{name} ({PluginManager.instance().get_manifest(PLUGIN).display_name})"
