from __future__ import annotations

import numpy as np
import pytest
from napari.components import ViewerModel

from napari_pogmdm.gui.layers.book import LayerBook
from napari_pogmdm.gui.layers.placement import Placement
from napari_pogmdm.gui.layers.style import Contrast, LayerStyle
from napari_pogmdm.runs.display import DisplayGeometry
from napari_pogmdm.runs.roles import Role

SHAPE = (6, 4)
OURS = "ours"


@pytest.fixture
def viewer():
    return ViewerModel()


@pytest.fixture
def book(viewer):
    made = LayerBook(viewer)
    made.set_geometry(DisplayGeometry(SHAPE, (2.0, 1.0), 5.0))
    made.add_style(OURS, LayerStyle("ours", "magma", Contrast.OWN))
    return made


def images(value: float, shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return np.full(shape, value, np.float32)


def test_new_data_go_into_the_layers_own_buffer(book):
    layer = book.show(Role.IMAGE, images(1.0))
    buffer = layer.data
    assert book.show(Role.IMAGE, images(2.0)) is layer
    assert layer.data is buffer
    assert buffer.max() == 2.0
    assert book.role_of(layer) == "image"


def test_a_deleted_layer_stays_away_until_it_is_asked_for(viewer, book):
    told = []
    book.changed = lambda: told.append(1)
    viewer.layers.remove(book.show(OURS, images(1.0)))
    assert told
    assert book.show(OURS, images(2.0)) is None
    book.welcome_back(OURS)
    assert book.show(OURS, images(3.0)) in viewer.layers
    book.remove(OURS)
    assert book.show(OURS, images(4.0)) in viewer.layers


def test_images_share_white_and_errors_a_fifth_of_it(book):
    assert book.show(Role.IMAGE, images(1.0)).contrast_limits == pytest.approx([0.0, 5.0])
    assert book.show(Role.ERROR, images(1.0)).contrast_limits == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("white", [0.05, 500.0])
def test_the_contrast_slider_spans_the_limits_of_another_scan(book, white):
    layer = book.show(Role.ZERO_FILLED, images(1.0))
    book.set_geometry(DisplayGeometry(SHAPE, (2.0, 1.0), white))
    assert layer.contrast_limits == pytest.approx([0.0, white])
    assert layer.contrast_limits_range == pytest.approx([0.0, white])


def test_the_contrast_slider_goes_back_from_phases_to_magnitudes(book):
    layer = book.show(OURS, images(1.0))
    book.restyle(OURS, LayerStyle("phase", contrast=(-np.pi, np.pi)), images(1.0))
    assert layer.contrast_limits == pytest.approx([-np.pi, np.pi])
    book.restyle(OURS, LayerStyle("magnitude", contrast=(0.0, 2.0)), images(1.0))
    assert layer.contrast_limits_range == pytest.approx([0.0, 2.0])


def test_limits_that_are_given_hold_and_only_widen_the_slider(book):
    layer = book.show(OURS, images(1.0), limits=(-2.0, 2.0))
    assert layer.contrast_limits == pytest.approx([-2.0, 2.0])
    book.show(OURS, images(1.0), limits=(-3.0, 1.0))
    assert layer.contrast_limits == pytest.approx([-3.0, 1.0])
    assert layer.contrast_limits_range == pytest.approx([-3.0, 2.0])


def test_a_layer_that_was_given_a_place_keeps_it_and_outlives_another_scan(viewer, book):
    place = Placement((3.0, 3.0), (10.0, 20.0))
    given = book.show(OURS, images(1.0), limits=(0.0, 7.0), placement=place)
    usual = book.show(Role.IMAGE, images(1.0))
    book.set_geometry(DisplayGeometry((12, 8), (1.0, 1.0), 9.0))
    book.lay_out(gridded=True)
    assert Placement.of(given) == place
    assert given.contrast_limits == pytest.approx([0.0, 7.0])
    assert usual not in viewer.layers
    moved = Placement((1.0, 1.0), (0.0, 1.0))
    book.show(OURS, images(1.0), placement=moved)
    assert Placement.of(given) == moved


def test_layers_of_the_scan_wait_for_new_data_and_keep_their_visibility(viewer, book):
    layer = book.show(Role.ZERO_FILLED, images(1.0))
    layer.visible = False
    book.set_geometry(DisplayGeometry((12, 8), (1.0, 1.0), 9.0))
    assert book.show(Role.ZERO_FILLED, images(1.0, (12, 8))) is layer
    assert not layer.visible
    deeper = book.show(Role.ZERO_FILLED, images(1.0, (3, 12, 8)))
    assert list(viewer.layers) == [deeper]
    assert not deeper.visible


def test_what_would_hide_another_layer_appears_below_it(viewer, book):
    above = book.show(Role.IMAGE, images(1.0))
    below = book.show(Role.BEFORE_FORK, images(2.0))
    assert viewer.layers.index(below) < viewer.layers.index(above)
    assert viewer.layers.selection.active is above


def test_remarks_stand_after_the_name(book):
    layer = book.show(Role.IMAGE, images(1.0))
    name = layer.name
    book.remark(Role.IMAGE, "earlier run")
    assert layer.name == f"{name}, earlier run"
    book.remark(Role.IMAGE)
    assert layer.name == name
    assert book.layers([Role.MEAN, Role.IMAGE]) == [layer]
