from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def layers(workbench):
    """Four images, the second of which is hidden."""
    made = [workbench.viewer.add_image(np.full((8, 9), number, np.float32), name=f"n{number}") for number in range(4)]
    made[1].visible = False
    return made


def visible(workbench) -> list[str]:
    return [layer.name for layer in workbench.viewer.layers if layer.visible]


def test_chosen_layers_fill_the_cells_in_order_and_everything_returns(workbench, layers):
    grid, heard = workbench.viewer.canvas.grid, []
    workbench.grid.changed.connect(heard.append)
    workbench.grid.show("a dock", [layers[3], layers[1]], columns=2)
    assert grid.enabled
    assert visible(workbench) == ["n3", "n1"]
    cells = [grid.position(workbench.viewer.layers.index(layer), workbench.viewer.layers) for layer in layers[1::2]]
    assert cells == [(0, 1), (0, 0)]
    assert layers[3].name_overlay.visible
    workbench.grid.restore("another dock")
    assert grid.enabled
    workbench.grid.restore("a dock")
    assert not grid.enabled
    assert sorted(visible(workbench)) == ["n0", "n2", "n3"]
    assert not layers[3].name_overlay.visible
    assert heard == ["a dock", ""]


def test_another_dock_takes_the_grid_over_and_the_first_look_still_returns(workbench, layers):
    workbench.grid.show("first", layers[:2])
    workbench.viewer.layers.remove(layers[0])
    workbench.grid.show("second", layers[2:])
    assert visible(workbench) == ["n2", "n3"]
    workbench.grid.restore()
    assert sorted(visible(workbench)) == ["n2", "n3"]


def test_naparis_own_button_gives_the_grid_back(workbench, layers):
    workbench.grid.show("a dock", layers[1:2])
    workbench.viewer.canvas.grid.enabled = False
    assert workbench.grid.owner == ""
    assert sorted(visible(workbench)) == ["n0", "n2", "n3"]


def test_linked_layers_keep_one_contrast_while_they_stand_side_by_side(workbench, layers):
    workbench.grid.show("a dock", layers, linked=(layers[:2], layers[2:]))
    layers[0].contrast_limits = (0.0, 7.0)
    assert [tuple(layer.contrast_limits) for layer in layers[:2]] == [(0.0, 7.0)] * 2
    assert tuple(layers[2].contrast_limits) != (0.0, 7.0)
    workbench.grid.restore()
    layers[0].contrast_limits = (0.0, 5.0)
    assert tuple(layers[1].contrast_limits) == (0.0, 7.0)


def test_long_names_are_written_smaller(workbench, layers):
    layers[0].name = "a name that is much longer than any cell of four is wide, whatever the screen " * 2
    workbench.grid.show("a dock", layers[1:])
    large = layers[1].name_overlay.font_size
    workbench.grid.show("a dock", layers)
    assert layers[1].name_overlay.font_size < large
