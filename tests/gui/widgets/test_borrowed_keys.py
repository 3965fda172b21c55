from __future__ import annotations

import numpy as np
import pytest
from napari.components import ViewerModel
from napari.utils.key_bindings import KeyBinding

from napari_pogmdm.gui.widgets.borrowed_keys import BorrowedKeys


def press(viewer: ViewerModel, name: str) -> None:
    list(viewer.keymap[KeyBinding.from_str(name)](viewer))


@pytest.fixture
def pressed():
    return []


def test_keys_do_what_they_are_told_and_are_given_back(pressed):
    viewer = ViewerModel()
    viewer.bind_key("Right", lambda _: pressed.append("before"), overwrite=True)
    before = viewer.keymap[KeyBinding.from_str("Right")]
    keys = BorrowedKeys(viewer, {"Right": lambda: pressed.append("ours")})
    press(viewer, "Right")
    assert pressed == ["ours"]
    keys.give_back()
    assert viewer.keymap[KeyBinding.from_str("Right")] is before


def test_space_still_moves_the_picture_while_a_layer_is_drawn_on(pressed):
    viewer = ViewerModel()
    BorrowedKeys(viewer, {"Space": lambda: pressed.append("ours")})
    labels = viewer.add_labels(np.eye(4, dtype=int))
    labels.mode = "paint"
    binding = viewer.keymap[KeyBinding.from_str("Space")](viewer)
    next(binding)
    assert labels.mode == "pan_zoom"
    list(binding)
    assert labels.mode == "paint"
    assert not pressed
    labels.mode = "pan_zoom"
    press(viewer, "Space")
    assert pressed == ["ours"]
