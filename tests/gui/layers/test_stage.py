from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.layers.stage import Stage


@pytest.fixture
def layers(workbench):
    """Four images of somebody else."""
    return [workbench.viewer.add_image(np.full((8, 9), number, np.float32), name=f"n{number}") for number in range(4)]


def test_chosen_layers_fill_the_cells_in_order_and_nothing_else_is_seen(workbench, layers):
    viewer, stage = workbench.viewer, Stage(workbench.viewer)
    stage.set([layers[3], layers[1]], [], gridded=True, columns=2, step=1)
    grid = viewer.canvas.grid
    assert grid.enabled
    assert [layer.name for layer in viewer.layers if layer.visible] == ["n3", "n1"]
    assert [grid.position(viewer.layers.index(layer), viewer.layers) for layer in layers[1::2]] == [(0, 1), (0, 0)]
    stage.set([layers[0]], [layers[2]], gridded=False, columns=0, step=1)
    assert not grid.enabled
    assert {layer.name for layer in viewer.layers if layer.visible} == {"n0", "n2"}


def test_linked_layers_keep_one_contrast_while_they_stand_side_by_side(workbench, layers):
    stage = Stage(workbench.viewer)
    stage.link((layers[:2], layers[2:]))
    layers[0].contrast_limits = (0.0, 7.0)
    assert [tuple(layer.contrast_limits) for layer in layers[:2]] == [(0.0, 7.0)] * 2
    assert tuple(layers[2].contrast_limits) != (0.0, 7.0)
    stage.link(())
    layers[0].contrast_limits = (0.0, 5.0)
    assert tuple(layers[1].contrast_limits) == (0.0, 7.0)
