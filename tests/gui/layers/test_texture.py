"""New values of a picture are painted without asking napari where it lies."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.core.workbench import Workbench
from napari_pogmdm.gui.layers.view import COILS, RUN
from napari_pogmdm.runs.display import DisplayGeometry
from napari_pogmdm.runs.roles import Role

SHAPE = (20, 16)


@pytest.fixture
def shown(make_napari_viewer):
    """A window in which a black picture is seen, and how often napari cut its slice since."""
    bench = Workbench.of(make_napari_viewer(show=True))
    bench.book.set_geometry(DisplayGeometry(SHAPE, (1.0, 1.0), 1.0))
    layer = bench.book.show(Role.IMAGE, grey(0.0))
    bench.canvas.show(RUN)
    cuts, cut = [], layer.set_view_slice
    layer.set_view_slice = lambda: (cuts.append(1), cut())
    yield bench, layer, cuts
    bench.close()


def grey(value: float, shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return np.full(shape, value, np.float32)


def middle(bench: Workbench) -> int:
    picture = bench.viewer.screenshot(canvas_only=True, flash=False)
    return int(picture[picture.shape[0] // 2, picture.shape[1] // 2, 0])


def test_new_values_are_seen_and_nothing_else_is_done(shown):
    bench, layer, cuts = shown
    told = []
    layer.events.set_data.connect(lambda: told.append(1))
    assert middle(bench) == 0
    bench.book.show(Role.IMAGE, grey(1.0))
    assert (cuts, told) == ([], [1])
    assert middle(bench) == 255


def test_a_last_picture_has_its_thumbnail(shown):
    bench, layer, cuts = shown
    bench.book.show(Role.IMAGE, grey(1.0), thumbnail=True)
    assert cuts
    assert layer.thumbnail[..., 0].max() == 255


def test_a_hidden_picture_is_new_when_it_is_seen_again(shown):
    bench, layer, _ = shown
    layer.visible = False
    bench.book.show(Role.IMAGE, grey(1.0))
    layer.visible = True
    assert middle(bench) == 255


def test_of_a_stack_the_picture_that_is_seen_is_new(shown):
    bench, _, _ = shown
    layer = bench.book.show(Role.COIL_MAGNITUDE, grey(0.0, (3, *SHAPE)))
    bench.canvas.present(COILS, [Role.COIL_MAGNITUDE])
    bench.viewer.dims.set_point(0, 2)
    values = grey(0.0, (3, *SHAPE))
    values[2] = 1.0
    bench.book.show(Role.COIL_MAGNITUDE, values)
    assert float(layer._data_view.max()) == 1.0
    bright = middle(bench)
    bench.viewer.dims.set_point(0, 0)
    assert middle(bench) != bright


def test_a_transposed_picture_is_left_to_napari_where_it_must_be(shown):
    bench, _, _ = shown
    bench.viewer.dims.order = (1, 0)
    values = grey(0.0)
    values[10:] = 1.0
    bench.book.show(Role.IMAGE, values)
    picture = bench.viewer.screenshot(canvas_only=True, flash=False)[..., 0]
    half = picture.shape[1] // 2
    assert picture[:, half:].mean() > picture[:, :half].mean() + 50
