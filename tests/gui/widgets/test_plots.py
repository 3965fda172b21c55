from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from napari.components import ViewerModel

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.widgets.plots import LogAxis, Plot, curve_colours, save_plot


@pytest.fixture
def plot(qtbot):
    made = Plot(ViewerModel(), "iteration", "PSNR / dB", "quality")
    qtbot.addWidget(made)
    made.curve("#ff0000", "a").setData([0.0, 1.0, 2.0], [1.0, 4.0, 9.0])
    made.curve("#00ff00", "empty")
    return made


def test_colours_stand_out_from_the_theme():
    viewer = ViewerModel()
    viewer.theme = "dark"
    on_dark = curve_colours(viewer)
    viewer.theme = "light"
    assert set(on_dark).isdisjoint(curve_colours(viewer))
    assert curve_colours(None) == curve_colours(viewer)


def test_it_follows_the_theme(plot):
    viewer = plot._viewer
    before = plot.backgroundBrush().color().name()
    viewer.theme = "light"
    assert plot.backgroundBrush().color().name() != before


def test_curves_are_saved_as_numbers(plot, tmp_path: Path):
    save_plot(plot, tmp_path / "curves.csv")
    rows = (tmp_path / "curves.csv").read_text().splitlines()
    assert rows == ["curve,x,y", "a,0,1", "a,1,4", "a,2,9"]


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_plots_are_saved_as_pictures(plot, tmp_path: Path, ending, start):
    path = tmp_path / f"plot.{ending}"
    save_plot(plot, path)
    assert path.read_bytes().startswith(start)


def test_other_endings_are_refused(plot, tmp_path: Path):
    with pytest.raises(InputError, match=r"plots are saved as \.png"):
        save_plot(plot, tmp_path / "plot.jpg")


@pytest.mark.parametrize(("low", "high"), [(-4.0, 3.0), (0.0, 1.0), (0.1, 0.2)])
@pytest.mark.parametrize("pixels", [40.0, 400.0])
def test_a_logarithmic_axis_has_some_labels_but_never_too_many(qtbot, low, high, pixels):
    [(_, ticks)] = LogAxis("left").tickValues(low, high, pixels)
    assert 1 <= len(ticks) <= max(3, math.ceil(pixels / 18))
    assert all(low <= tick <= high for tick in ticks)
    assert LogAxis("left").tickStrings([math.log10(0.05)], 1.0, 1.0) == ["0.05"]
    assert np.all(np.diff(ticks) > 0)
