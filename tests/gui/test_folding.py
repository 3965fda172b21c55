from __future__ import annotations

from napari_pogmdm.gui.arrangement import open_workbench, reveal
from napari_pogmdm.gui.docks.trace.dock import TraceDock
from napari_pogmdm.gui.folding import FoldedBottom
from napari_pogmdm.runs.status import TracePoint


def test_empty_curves_take_little_room_and_other_docks_get_theirs(make_napari_viewer, until):
    viewer = make_napari_viewer()
    window = viewer.window._qt_window
    window.resize(1400, 900)
    window.show()
    bench = open_workbench(viewer)
    trace, fold = window.findChild(TraceDock), window.findChild(FoldedBottom)
    until(lambda: trace.height() < 110)
    reveal(viewer, "Compare")
    until(lambda: not fold.folded)
    reveal(viewer, "Trace")
    until(lambda: fold.folded)
    nothing = float("nan")
    bench.session.trace = (TracePoint(0, 1, 0, 0.1, 30.0, 0.9, 0.01, 0.1, nothing, (1.0, 1.0)),)
    until(lambda: trace.height() > 180)
    before = trace.height()
    window.resize(1400, 1500)
    until(lambda: trace.height() > 1.3 * before)  # plots of a large window are not flat
    bench.close()
