"""What a network has seen, and in what a scan differs from it."""

from __future__ import annotations

import pytest

from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.rivals.trained_on import TrainedOn

SEEN = TrainedOn("C4/8", "brain", "T1", 4.0, 0.08)


@pytest.mark.parametrize("seed", range(5))
def test_masks_of_its_own_rule_are_inside(seed):
    assert SEEN.outside(make_mask("cartesian", (256, 256), 4, 0.08, seed)) == ()


def test_other_masks_are_outside_by_their_samples_whatever_made_them():
    told = {
        name: SEEN.outside(mask)
        for name, mask in {
            "rows": make_mask("cartesian", (256, 256), 4, 0.08, 1, "rows"),
            "centre": make_mask("cartesian", (256, 256), 4, 0.04, 1),
            "faster": make_mask("cartesian", (256, 256), 8, 0.04, 1),
            "radial": Mask(make_mask("radial", (256, 256), 11).samples),
        }.items()
    }
    assert "not of whole columns" in told["rows"][0]
    assert "4 % ACS instead of 8 %" in told["centre"][0]
    assert "instead of 4x" in told["faster"][0]
    assert "not of whole columns" in told["radial"][0]


def test_anatomy_and_contrast_count_where_they_are_known():
    mask = make_mask("cartesian", (256, 256), 4, 0.08, 0)
    assert SEEN.outside(mask, "Brain", "t1") == ()
    assert SEEN.outside(mask, "knee", "T1") == ("anatomy knee instead of brain",)
    assert SEEN.outside(mask, "", "T2") == ("contrast T2 instead of T1",)


def test_a_stranger_is_never_called_inside_or_outside():
    unknown = TrainedOn.from_dict({"acceleration": "many"})
    assert unknown == TrainedOn()
    assert unknown.outside(make_mask("radial", (64, 64), 4)) == ()
    assert "unknown" in unknown.describe()
    assert TrainedOn.from_dict(SEEN.to_dict()) == SEEN
