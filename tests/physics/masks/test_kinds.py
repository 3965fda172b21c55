from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.names import MaskKind


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
