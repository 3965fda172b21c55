from __future__ import annotations

import pytest
from qtpy.QtCore import Qt

from napari_pogmdm.gui.docks.compare.dock import CompareDock
from napari_pogmdm.runs.status import Phase


@pytest.fixture
def dock(small, qtbot) -> CompareDock:
    made = CompareDock(small.viewer)
    qtbot.addWidget(made)
    made.resize(1100, 300)
    made.show()
    return made


def test_runs_and_methods_are_pinned_named_compared_deleted_and_written(dock, small, until, qtbot, tmp_path):
    page = dock.pins_page
    assert not page.compare.isEnabled()
    assert small.start(Phase.RUNNING)
    until(lambda: small.session.result is not None)
    assert page.table.keys == ["image"]  # the run that there is can be compared before it is pinned
    small.pins.pin_run()
    assert page.table.keys == ["pinned 1"]
    for label in ("CG-SENSE", "flf-tc, fast"):
        dock.methods.tick(label, wanted=False)
    dock.methods.run.click()
    until(lambda: not dock.busy and dock.runner.comparison.done)
    qtbot.mouseClick(dock.results.pin, Qt.MouseButton.LeftButton)
    assert page.table.keys == ["pinned 1", "pinned 2"]
    assert dock.tables.tabText(1) == "Pinned runs (2)"
    assert small.session.pins[1].method == "zero-filled"
    page.table.selectAll()
    qtbot.mouseClick(page.compare, Qt.MouseButton.LeftButton)
    assert small.canvas.shown == "A/B"
    assert small.canvas.panels() == small.book.layers(["pinned 1", "pinned 2"])
    page.table.item(1, 0).setText("nothing learned")
    assert small.session.pins[1].name == "nothing learned"
    page.save_as(tmp_path / "pins.csv")
    assert "nothing learned" in (tmp_path / "pins.csv").read_text()
    page.table.selectRow(0)
    qtbot.mouseClick(page.delete, Qt.MouseButton.LeftButton)
    assert [pin.name for pin in small.session.pins] == ["nothing learned"]
    assert page.table.item(0, 0).text() == "nothing learned"
