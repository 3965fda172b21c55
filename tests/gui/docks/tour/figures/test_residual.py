from __future__ import annotations

from napari.settings import get_settings

from napari_pogmdm.gui.docks.tour.figures.residual import ResidualFigure


def test_names_of_lines_have_room_side_by_side(workbench, qtbot):
    figure = ResidualFigure(workbench)
    qtbot.addWidget(figure)
    figure.plot.resize(1200, 200)
    wide = figure.room()
    figure.plot.resize(340, 200)
    narrow = figure.room()
    appearance = get_settings().appearance
    before, appearance.font_size = appearance.font_size, 2 * appearance.font_size
    try:
        assert figure.room() < narrow < wide == 12
    finally:
        appearance.font_size = before
