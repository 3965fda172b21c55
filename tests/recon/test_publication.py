from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.publication import (
    FigurePanel,
    FigureStyle,
    FigureWidth,
    columns_for,
    draw_publication,
    save_publication,
)


@pytest.fixture
def panels() -> list[FigurePanel]:
    image = np.full((40, 32), 0.5, dtype=np.float32)
    image[10:20, 12:20] = 1.0
    colours = np.linspace(0, 1, 8)[:, None] * np.ones(4)
    return [
        FigurePanel("fully sampled", image, (0.0, 1.0)),
        FigurePanel("zero-filled, costs $1", 0.9 * image, (0.0, 1.0)),
        FigurePanel("phase", image, (-3.0, 3.0), colours, "rad"),
    ]


def test_columns_wrap_so_that_panels_can_be_judged_and_no_row_is_nearly_empty():
    assert columns_for(3, 180.0) == 3
    assert columns_for(7, 180.0) == 4  # not six and one
    assert columns_for(2, 85.0) == 2
    assert columns_for(5, 25.0) == 1


def test_errors_stand_below_images_and_bars_have_units(panels):
    figure = draw_publication(panels, panels[0].image, FigureStyle(columns=3))
    shown = [axes for axes in figure.axes if axes.images]
    errors = [axes.images[0].get_array() for axes in shown if axes.images[0].get_cmap().N == 256 and axes.images]
    found = [array for array in errors if array.shape == (40, 32) and np.isclose(array.max(), 10.0)]
    assert len(found) == 1  # of the zero-filled image alone, in per cent of white
    assert "rad" in {bar.get_ylabel() for axes in figure.axes for bar in axes.child_axes}
    without = draw_publication(panels, panels[0].image, FigureStyle(columns=3, errors=False, detail=False, bars=False))
    assert sum(bool(axes.images) for axes in without.axes) == 3


@pytest.mark.slow
@pytest.mark.parametrize("light", [True, False])
def test_a_figure_has_the_size_and_the_paper_that_were_asked_for(tmp_path: Path, panels, light):
    path = tmp_path / "figure.png"
    save_publication(panels, panels[0].image, path, FigureStyle(FigureWidth.COLUMN, light=light), (0.9, 0.9))
    with Image.open(path) as picture:
        assert picture.size[0] == pytest.approx(85 / 25.4 * 300, abs=2)
        corner = picture.convert("L").getpixel((picture.size[0] - 1, picture.size[1] - 1))
    assert corner == (255 if light else 0)


@pytest.mark.parametrize(("ending", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_drawings_are_drawings(tmp_path: Path, panels, ending, begins):
    save_publication(panels[:1], None, tmp_path / f"figure.{ending}", FigureStyle())
    assert (tmp_path / f"figure.{ending}").read_bytes().startswith(begins)


def test_what_cannot_be_drawn_is_one_sentence(tmp_path: Path, panels):
    with pytest.raises(InputError, match=r"figure\.gif"):
        save_publication(panels, None, tmp_path / "figure.gif", FigureStyle())
    with pytest.raises(InputError, match="there is nothing to draw"):
        save_publication([], None, tmp_path / "figure.png", FigureStyle())
