from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.layers.camera import Camera


@pytest.fixture
def viewer(make_napari_viewer):
    made = make_napari_viewer()
    made.add_image(np.zeros((10, 20)), name="small", translate=(50, 60))
    made.add_image(np.zeros((3, 200, 300)), name="deep")
    return made


def test_flat_layers_are_fitted_alone_while_there_are_deeper_ones(viewer):
    camera = Camera(viewer)
    camera.fit([viewer.layers["deep"]])
    far = viewer.scene.camera.zoom
    camera.fit([viewer.layers["small"]])
    assert viewer.scene.camera.zoom > 3 * far
    assert viewer.scene.camera.center[-2:] == pytest.approx((54.5, 69.5))


def test_what_is_hidden_does_not_count(viewer):
    viewer.layers["deep"].visible = False
    camera = Camera(viewer)
    camera.fit_visible()
    alone = viewer.scene.camera.zoom
    camera.fit([viewer.layers["small"]])
    assert viewer.scene.camera.zoom == pytest.approx(alone)
