from __future__ import annotations

import numpy as np
from qtpy.QtWidgets import QWidget

from napari_pogmdm.gui.widgets.panel_overlay import ColourBar, PanelLabel, PanelOverlay

RAMP = np.stack([np.linspace(0, 255, 16)] * 3 + [np.full(16, 255.0)], axis=1).astype(np.uint8)


def painted(overlay) -> np.ndarray:
    picture = overlay.grab().toImage().convertToFormat(overlay.grab().toImage().Format.Format_RGBA8888)
    data = picture.constBits().asarray(picture.sizeInBytes())
    return np.array(data, dtype=np.uint8).reshape(picture.height(), -1, 4)[:, : picture.width()].copy()


def test_titles_stay_inside_their_cells_and_remarks_are_orange(qtbot):
    canvas = QWidget()
    qtbot.addWidget(canvas)
    canvas.resize(400, 200)
    overlay = PanelOverlay(canvas)
    long = "a title that is far too long for any cell of this canvas, whatever the letters"
    overlay.write([PanelLabel(0, 0, 200, 200, long), PanelLabel(200, 0, 200, 200, "short", "earlier mask")])
    picture = painted(overlay)
    orange = (abs(picture[..., :3].astype(int) - (255, 180, 84)) < 8).all(axis=-1)
    assert not orange[:, :200].any()
    assert orange[:, 200:].sum() > 200
    bright = (picture[:, 190:200, :3] > 200).all(axis=-1)
    assert not bright[:40].any()


def test_it_grows_with_the_canvas_and_lets_the_mouse_through(qtbot):
    canvas = QWidget()
    qtbot.addWidget(canvas)
    canvas.resize(100, 100)
    canvas.show()
    overlay = PanelOverlay(canvas)
    canvas.resize(321, 123)
    qtbot.waitUntil(lambda: overlay.size() == canvas.size())
    assert canvas.childAt(5, 5) is None


def bar_of(qtbot, corner: tuple[float, float]) -> np.ndarray:
    canvas = QWidget()
    qtbot.addWidget(canvas)
    canvas.resize(300, 300)
    overlay = PanelOverlay(canvas)
    bar = ColourBar(RAMP, "0", "20 %")
    overlay.write([PanelLabel(0, 0, 300, 300, "error", bar=bar, mark=(50.0, 60.0), corner=corner)])
    return painted(overlay).astype(int)


def test_a_colour_bar_runs_from_low_to_high_beside_the_picture(qtbot):
    picture = bar_of(qtbot, corner=(200.0, 300.0))
    column = picture[190:285, 285, 0]
    assert column[:20].mean() > column[-20:].mean() + 100
    assert (abs(picture[60, 44:48, :3] - (232, 72, 111)) < 40).all()
    assert (picture[150:, :200] == picture[299, 0]).all()  # nothing lies upon the picture


def test_where_there_is_no_room_beside_it_a_colour_bar_lies_below_the_picture_or_flat_upon_it(qtbot):
    below = bar_of(qtbot, corner=(300.0, 250.0))
    assert (below[150:250] == below[299, 0]).all()
    row = below[252:270, 150:270, 0].max(axis=0)
    assert row[-40:].max() > row[:40].min() + 100
    upon = bar_of(qtbot, corner=(300.0, 300.0))
    covered = (upon[150:] != upon[150, 0]).any(axis=-1)
    assert covered.any()
    assert covered.sum() < 0.05 * 300 * 300
    assert not covered[:100].any()


def test_a_title_that_finds_no_room_says_what_made_it_in_a_second_line(qtbot):
    canvas = QWidget()
    qtbot.addWidget(canvas)
    overlay = PanelOverlay(canvas)
    title = "reconstruction, flf-tc, fast, R = 3.67, 37.8 dB"
    assert overlay.title_lines(title, 1000) == [title]
    assert overlay.title_lines(title, 180) == ["reconstruction", "flf-tc, fast, R = 3.67, 37.8 dB"]
    narrow = overlay.title_lines(title, 120)
    assert narrow == ["reconstruction", "flf-tc, fast", "R = 3.67, 37.8 dB"], "nothing is cut"
    assert overlay.title_lines("reconstruction", 10) == ["reconstruction"]
