from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import MaskKind, make_mask
from napari_pogmdm.physics.masks.lines import fastmri_equispaced_lines, fastmri_matched_lines, fastmri_random_lines
from napari_pogmdm.physics.masks.mask import Mask, load_mask
from napari_pogmdm.physics.masks.scattered import radial, spiral


@pytest.mark.parametrize(
    ("shape", "centre_fraction", "axis", "lines", "central"),
    [
        ((640, 372), 0.08, "columns", 102, 30),
        ((640, 372), 0.04, "columns", 99, 15),
        ((640, 372), 0.08, "rows", 178, 51),
    ],
)
def test_the_papers_cartesian_masks_have_its_counts(shape, centre_fraction, axis, lines, central):
    mask = make_mask("cartesian", shape, 4, centre_fraction, seed=42, axis=axis)
    profile = mask.samples[0] if axis == "columns" else mask.samples[:, 0]
    assert profile.sum() == lines
    assert (mask.samples == (profile if axis == "columns" else profile[:, None])).all()
    start = (profile.size - central + 1) // 2
    assert profile[start : start + central].all()


@pytest.mark.parametrize(("width", "acceleration"), [(372, 11.25), (368, 11.20), (320, 10.57)])
def test_radial_masks_of_45_spokes(width, acceleration):
    samples = radial((640, width), 45)
    assert samples.size / samples.sum() == pytest.approx(acceleration, abs=0.01)


def test_radial_spokes_are_thin_and_connected_and_meet_in_the_centre():
    samples = radial((64, 48), 2)
    assert samples[32].all()
    assert samples[:, 24].all()
    assert samples.sum() == 64 + 48 - 1


def test_the_spiral_of_80_turns():
    samples = spiral((320, 320), 80)
    assert samples.size / samples.sum() == pytest.approx(5.04, abs=0.01)


# Lines that fastMRI's published mask functions choose for 40 columns, acceleration 4, centre fraction 0.08, seed 7.
@pytest.mark.parametrize(
    ("rule", "chosen"),
    [
        (fastmri_random_lines, [0, 7, 13, 19, 20, 21, 25]),
        (fastmri_equispaced_lines, [3, 7, 11, 15, 19, 20, 21, 23, 27, 31, 35, 39]),
        (fastmri_matched_lines, [4, 9, 15, 19, 20, 21, 25, 30, 36]),
    ],
)
def test_fastmri_rules_are_bit_equal(rule, chosen):
    assert np.flatnonzero(rule(40, 4, 3, 7)).tolist() == chosen


@pytest.mark.parametrize("kind", MaskKind)
@pytest.mark.parametrize("shape", [(64, 64), (65, 48), (48, 97)])
def test_every_kind_comes_close_to_the_asked_acceleration(kind, shape):
    mask = make_mask(kind, shape, acceleration=4, centre_fraction=0.1, seed=1)
    again = make_mask(kind, shape, acceleration=4, centre_fraction=0.1, seed=1)
    np.testing.assert_array_equal(mask.samples, again.samples)
    slack = 2.0 if kind in {"cartesian", "fastmri-random", "fastmri-equispaced"} else 0.4
    assert mask.acceleration == pytest.approx(4, abs=slack)
    assert mask.samples[shape[0] // 2, shape[1] // 2] or kind == "gaussian"
    assert f"{mask.acceleration:.2f}x" in mask.describe()


@pytest.mark.parametrize("kind", ["cartesian", "fastmri-random", "gaussian", "poisson"])
def test_seeds_matter(kind):
    one, other = (make_mask(kind, (64, 64), 4, 0.1, seed).samples for seed in (1, 2))
    assert not np.array_equal(one, other)


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(list(MaskKind)),
    rows=st.integers(2, 80),
    columns=st.integers(2, 80),
    acceleration=st.floats(1.01, 40),
    centre_fraction=st.floats(0, 0.5),
    axis=st.sampled_from(["columns", "rows"]),
)
def test_any_wish_gives_a_usable_mask_or_a_sentence(kind, rows, columns, acceleration, centre_fraction, axis):
    try:
        mask = make_mask(kind, (rows, columns), acceleration, centre_fraction, 0, axis)
    except InputError as error:
        assert len(str(error)) < 250
    else:
        assert mask.shape == (rows, columns)
        assert 1 < mask.acceleration <= rows * columns


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "hexagonal"}, "unknown kind"),
        ({"acceleration": 1.0}, "leaves nothing out"),
        ({"acceleration": 0.5}, "leaves nothing out"),
        ({"acceleration": float("nan")}, "leaves nothing out"),
        ({"acceleration": 20.0}, "no more than the 5 of the centre"),
        ({"centre_fraction": -0.1}, "share of all lines"),
        ({"centre_fraction": 1.5}, "share of all lines"),
        ({"axis": "diagonal"}, "neither columns nor rows"),
        ({"shape": (1, 64)}, "too small"),
        ({"seed": -1}, "seed"),
        ({"kind": "gaussian", "acceleration": 1.05}, "too low"),
        ({"kind": "fastmri-matched", "centre_fraction": 0.25}, "no more than the 16"),
        ({"kind": "poisson", "centre_fraction": 0.9}, "does not fit"),
    ],
)
def test_impossible_wishes_are_named(changes, words):
    wish = {"kind": "cartesian", "shape": (64, 64)} | changes
    with pytest.raises(InputError, match=words):
        make_mask(**wish)


def test_poisson_points_keep_their_distance_and_thin_out():
    samples = make_mask("poisson", (128, 128), 6, 0.0, seed=1).samples
    density = [samples[inner].mean() for inner in (np.s_[48:80, 48:80], np.s_[:32, :32])]
    assert density[0] > 2 * density[1]
    points = np.argwhere(samples[:32, :32])
    gaps = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    assert gaps[gaps > 0].min() > 2


def test_the_fully_sampled_centre_is_found():
    assert make_mask("cartesian", (64, 320), 4, 0.08).centre == (64, 26)
    assert make_mask("cartesian", (320, 64), 4, 0.08, axis="rows").centre == (26, 64)
    block = np.zeros((20, 21), dtype=bool)
    block[7:13, 8:13] = True
    assert Mask(block, "file").centre == (6, 5)
    block[10, 10] = False
    assert Mask(block, "file").centre == (0, 0)


def test_the_point_spread_of_every_second_column_has_two_peaks():
    samples = np.zeros((16, 16), dtype=bool)
    samples[:, ::2] = True
    spread = Mask(samples, "file").point_spread()
    assert np.argwhere(spread > 0.5).tolist() == [[8, 0], [8, 8]]


def test_edits_are_remembered():
    mask = make_mask("cartesian", (16, 16))
    more = mask.edited(mask.samples | True, "filled")
    assert more.edits == ("filled",)
    assert "1 edits by hand" in more.describe()
    assert mask.edits == ()


def test_masks_from_files(tmp_path: Path):
    good = tmp_path / "mask.npy"
    np.save(good, make_mask("gaussian", (32, 24), 4).samples)
    assert load_mask(good, (32, 24)).acceleration == pytest.approx(4, abs=0.1)
    np.save(good, np.arange(24) % 2)
    assert load_mask(good, (32, 24)).samples[:, 1].all()


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.ones((3, 3)), r"shape \(3, 3\)"),
        (np.zeros((32, 24)), "no sample"),
        (np.ones((32, 24)), "every sample"),
        (np.full((32, 24), "x"), "true and false"),
        (None, "not a readable"),
    ],
)
def test_bad_mask_files_are_named(tmp_path: Path, array, words):
    path = tmp_path / "bad.npy"
    if array is None:
        path.write_bytes(b"nothing")
    else:
        np.save(path, array)
    with pytest.raises(InputError, match=words) as caught:
        load_mask(path, (32, 24))
    assert "bad.npy" in str(caught.value)
