from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import load_mask, save_mask


def test_a_saved_mask_is_read_again(tmp_path: Path):
    mask = make_mask("radial", (32, 24), 3.0)
    save_mask(mask, tmp_path / "mask.npy")
    np.testing.assert_array_equal(load_mask(tmp_path / "mask.npy", (32, 24)).samples, mask.samples)
    with pytest.raises(InputError, match="does not end in"):
        save_mask(mask, tmp_path / "mask.txt")
