"""One rule for masks by name, by file, by short code, and for those that a scan brings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.names import Axis, MaskKind
from napari_pogmdm.recon.sampling.mask_recipe import NAMES, MaskRecipe, options_of


def test_codes_name_masks():
    assert MaskRecipe.from_code("C4/8").make_for((64, 320)).centre == (64, 26)
    assert MaskRecipe.from_code("C4/4r").make_for((320, 64)).axis == "rows"
    assert MaskRecipe.from_code("R6").make_for((64, 64)).acceleration == pytest.approx(6, abs=0.3)
    for code, kind in (("G8", "gaussian"), ("S5", "spiral"), ("P4", "poisson")):
        assert MaskRecipe.from_code(code).make_for((64, 64)).kind == kind
    assert MaskRecipe.from_code("C4") == MaskRecipe.from_code(" C4/8 ") == MaskRecipe("cartesian")
    with pytest.raises(ValueError, match="write codes such as"):
        MaskRecipe.from_code("X9")


def test_auto_is_the_scans_own_mask_or_else_a_cartesian_one(small_scan):
    own = replace(small_scan, mask=np.arange(40) % np.full((48, 1), 2) == 0)
    assert MaskRecipe().make(own).kind == "file"
    assert MaskRecipe("file").make(own).acceleration == 2
    assert MaskRecipe("radial").make(own).kind == "radial"
    made = MaskRecipe().make(small_scan)
    assert made.kind == "cartesian"
    np.testing.assert_array_equal(made.samples, MaskRecipe("cartesian").make(small_scan).samples)
    with pytest.raises(InputError, match="has no mask"):
        MaskRecipe("file").make(small_scan)


def test_a_path_is_read_and_any_other_word_is_an_unknown_kind(small_scan, tmp_path: Path):
    samples = np.arange(40) % 2 == 0
    np.save(tmp_path / "mine.npy", samples)
    made = MaskRecipe(str(tmp_path / "mine.npy")).make(small_scan)
    np.testing.assert_array_equal(made.samples, np.broadcast_to(samples, (48, 40)))
    with pytest.raises(InputError, match="no such file"):
        MaskRecipe("absent.npy").make(small_scan)
    with pytest.raises(InputError, match="unknown kind 'hexagonal'"):
        MaskRecipe("hexagonal").make(small_scan)


def test_every_kind_has_a_name_for_people_and_knows_its_options():
    assert list(NAMES) == ["auto", "file", *MaskKind]
    for kind in MaskKind:
        usual = MaskRecipe(kind, 3.0, 0.05, 1)
        others = {"acceleration": 4.0, "centre_fraction": 0.2, "seed": 2, "axis": Axis.ROWS.value}
        for option, value in others.items():
            changed = replace(usual, **{option: value}).make_for((96, 96)).samples
            assert np.array_equal(changed, usual.make_for((96, 96)).samples) == (option not in options_of(kind))


def test_a_mask_is_made_once_a_size_and_keeps_plain_words(small_scan):
    recipe = MaskRecipe(MaskKind.CARTESIAN, axis=Axis.ROWS)
    made = recipe.make(small_scan)
    assert recipe.make(small_scan) is made
    assert type(made.kind) is str
    assert type(made.axis) is str


def test_a_recipe_makes_its_mask_once_for_every_size():
    recipe = MaskRecipe("gaussian", 4.0)
    slices = [Acquisition(np.zeros((1, *shape), np.complex64), "x") for shape in ((20, 20), (20, 20), (24, 20))]
    first, second, third = (recipe.make(one) for one in slices)
    assert first is second
    assert third.shape == (24, 20)
    assert replace(recipe, seed=1).make(slices[0]) is not first
    assert recipe == MaskRecipe("gaussian", 4.0)
