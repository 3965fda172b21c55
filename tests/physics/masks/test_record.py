from __future__ import annotations

import base64
import json
import zlib

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.physics.masks.names import MaskKind
from napari_pogmdm.physics.masks.record import mask_from_record, mask_to_record


@pytest.mark.parametrize("kind", MaskKind)
@pytest.mark.parametrize("axis", ["columns", "rows"])
def test_a_recipe_makes_the_same_sampling_again(kind, axis):
    mask = make_mask(kind, (64, 48), 3, 0.1, seed=5, axis=axis)
    record = json.loads(json.dumps(mask_to_record(mask)))
    assert "samples" not in record
    again = mask_from_record(record)
    np.testing.assert_array_equal(again.samples, mask.samples)
    assert again.describe() == mask.describe()


def test_a_recipe_is_followed_anew_for_another_shape():
    record = mask_to_record(make_mask("cartesian", (64, 48), 3, 0.1))
    np.testing.assert_array_equal(
        mask_from_record(record, (40, 60)).samples, make_mask("cartesian", (40, 60), 3, 0.1).samples
    )


def test_drawn_and_loaded_masks_keep_their_samples():
    drawn = np.random.default_rng(0).random((33, 21)) < 0.3
    for mask in (Mask(drawn, "file"), make_mask("gaussian", (33, 21), 4).edited(drawn, "painted 3 samples")):
        again = mask_from_record(json.loads(json.dumps(mask_to_record(mask))))
        np.testing.assert_array_equal(again.samples, drawn)
        assert again.edits == mask.edits
        assert again.kind == mask.kind


def test_lines_pack_into_little():
    lines = np.broadcast_to(np.random.default_rng(0).random(372) < 0.3, (640, 372)).copy()
    assert len(mask_to_record(Mask(lines, "file"))["samples"]) < 1500


def _packed(size: int) -> str:
    return base64.b64encode(zlib.compress(bytes(size))).decode()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"samples": _packed(100_000_000)}, "do not fit"),
        ({"samples": _packed(3)}, "do not fit"),
        ({"samples": "!!"}, "damaged"),
        ({"samples": base64.b64encode(b"no zlib").decode()}, "damaged"),
        ({"shape": [10**9, 10**9]}, "not one of a scan"),
        ({"shape": 7}, "not laid out"),
        ({"samples": None}, "holds no samples"),
        ({"samples": None, "kind": "cartesian"}, "which acceleration"),
        ({"samples": None, "kind": "cartesian", "asked_acceleration": [1]}, "not laid out"),
        ({"samples": _packed(87)}, "marks no sample"),
    ],
)
def test_bad_records_are_refused_without_inflating_them(change, words):
    record = mask_to_record(Mask(np.eye(33, 21, dtype=bool), "file"))
    with pytest.raises(InputError, match=words):
        mask_from_record({**record, **change})


def test_poisson_discs_of_version_0_1_are_refused_instead_of_drawn_otherwise():
    record = mask_to_record(make_mask("poisson", (64, 48), 4))
    assert np.array_equal(mask_from_record(record).samples, make_mask("poisson", (64, 48), 4).samples)
    del record["rule"]
    with pytest.raises(InputError, match="give that mask as a file"):
        mask_from_record(record)
