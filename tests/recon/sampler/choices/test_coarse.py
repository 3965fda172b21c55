from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.coils.left_out import leave_out
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.sampler.choices.coarse import coarse


def held(mask: Mask):
    scan = simulate_scan(shepp_logan(mask.shape), coils=4, noise=0.01)
    return leave_out(undersample(scan, mask))


@pytest.mark.parametrize("kind", ["cartesian", "gaussian"])
def test_all_that_was_left_out_within_half_of_kspace_is_still_there(kind):
    full = held(make_mask(kind, (240, 260), 4, 0.08))
    small = coarse(full)
    assert small.shape == (128, 136)
    assert full.left_out is not None
    assert small.left_out is not None
    axis = 2 if kind == "cartesian" else 0
    kept = small.left_out.any(dim=1) if axis else small.left_out
    whole = full.left_out.any(dim=1) if axis else full.left_out
    assert int(kept.sum()) == int(whole.sum())


def test_samples_are_the_same_up_to_scale_with_the_centre_in_the_middle():
    full = held(make_mask("cartesian", (240, 260), 4, 0.08))
    small = coarse(full)
    assert small.mask.centre[1] == full.mask.centre[1]
    middle = full.kspace[:, 120, 130] * full.scale
    torch.testing.assert_close(small.kspace[:, 64, 68] * small.scale, middle)
    assert float(root_sum_of_squares(to_image(small.kspace)).max()) == pytest.approx(1, rel=1e-5)


def test_lines_further_out_are_kept_where_only_they_are_left_out():
    line = np.zeros(256, dtype=bool)
    line[120:136] = True
    line[[10, 30, 230, 250]] = True
    small = coarse(held(Mask(np.broadcast_to(line, (256, 256)).copy())))
    assert small.shape == (136, 248)
    assert small.left_out is not None
    assert int(small.left_out.any(dim=0).any(dim=0).sum()) == 4


def test_small_scans_stay_as_they_are():
    full = held(make_mask("cartesian", (96, 80), 3, 0.1))
    small = coarse(full)
    assert small.shape == (96, 80)
    torch.testing.assert_close(small.kspace, full.kspace)
