from __future__ import annotations

import numpy as np
import pytest
from napari.components import ViewerModel

from napari_pogmdm.gui.layers.camera import Camera
from napari_pogmdm.gui.layers.cells import cells_of


@pytest.fixture
def viewer():
    made = ViewerModel()
    made.canvas.size = (300, 600)
    return made


def test_one_picture_has_the_whole_canvas(viewer):
    layer = viewer.add_image(np.zeros((30, 60)))
    Camera(viewer).fit([layer])
    (cell,) = cells_of(viewer, [layer])
    assert (cell.left, cell.top, cell.width, cell.height) == (0, 0, 600, 300)
    assert cell.filled == pytest.approx(0.97)


def test_cells_of_a_grid_do_not_overlap_and_fill_the_canvas(viewer):
    layers = [viewer.add_image(np.zeros((30, 30))) for _ in range(3)]
    viewer.canvas.grid.shape, viewer.canvas.grid.spacing, viewer.canvas.grid.enabled = (-1, 2), 4, True
    Camera(viewer).fit(layers)
    first, second, third = cells_of(viewer, layers)
    assert (first.left, first.top) == (0, 0)
    assert second.left == pytest.approx(first.width + 4)
    assert (third.left, third.top) == pytest.approx((0, first.height + 4))
    assert all(cell.filled == pytest.approx(0.97) for cell in (first, second, third))
    left, top, right, bottom = second.picture
    assert left >= second.left
    assert right <= 600
    assert bottom - top == pytest.approx(right - left)


def test_pictures_beside_each_other_share_the_width(viewer):
    layers = [viewer.add_image(np.zeros((30, 30)), translate=(0, 31 * place)) for place in range(3)]
    upon = viewer.add_image(np.zeros((10, 10)), translate=(10, 36))
    Camera(viewer).fit(layers)
    cells = cells_of(viewer, [*layers, upon])
    assert [cell.left for cell in cells] == [0, 200, 400, 200]
    assert cells_of(viewer, []) == []
