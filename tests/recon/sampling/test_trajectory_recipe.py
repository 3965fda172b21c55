from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.physics.trajectories.names import TrajectoryKind
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.sampling.recipe import recipe_from_code
from napari_pogmdm.recon.sampling.trajectory_recipe import TRAJECTORY_NAMES, TrajectoryRecipe


@pytest.mark.parametrize(
    ("code", "kind", "readouts"), [("T32", "golden-radial", 32), ("TR64", "radial", 64), (" TS8 ", "spiral", 8)]
)
def test_short_names_of_trajectories(code, kind, readouts):
    assert recipe_from_code(code) == TrajectoryRecipe(kind, readouts)


def test_other_short_names_are_masks():
    assert recipe_from_code("C4/8") == MaskRecipe.from_code("C4/8")
    with pytest.raises(InputError, match="or T32"):
        recipe_from_code("T")


def test_a_recipe_makes_the_trajectory_once_for_every_size(acquisition):
    recipe = TrajectoryRecipe("radial", 12)
    made = recipe.make(acquisition)
    assert made is recipe.make(acquisition)
    np.testing.assert_array_equal(made.positions, make_trajectory("radial", acquisition.shape, 12).positions)


def test_a_recipe_can_be_a_file(acquisition, tmp_path):
    places = make_trajectory("spiral", acquisition.shape).positions
    np.save(tmp_path / "mine.npy", places)
    np.testing.assert_array_equal(TrajectoryRecipe(str(tmp_path / "mine.npy")).make(acquisition).positions, places)
    with pytest.raises(InputError, match=r"absent\.npy"):
        TrajectoryRecipe("absent.npy").make(acquisition)
    with pytest.raises(InputError, match="unknown kind 'zigzag'"):
        TrajectoryRecipe("zigzag").make(acquisition)


def test_a_scan_that_lacks_samples_is_refused_before_anything_is_made(acquisition):
    half = replace(acquisition, mask=make_mask("cartesian", acquisition.shape, 2.0, 0.2).samples)
    with pytest.raises(InputError, match="undersampled already"):
        TrajectoryRecipe("radial", 12).make(half)


def test_every_kind_has_a_name_for_people():
    assert set(TRAJECTORY_NAMES) == {*TrajectoryKind}
