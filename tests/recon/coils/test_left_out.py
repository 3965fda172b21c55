from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.coils.left_out import leave_out
from napari_pogmdm.recon.measurement import undersample

SHAPE = (96, 80)


@pytest.mark.parametrize("axis", ["columns", "rows"])
def test_lines_outside_the_centre_are_left_out_of_one_coil_each(axis):
    mask = make_mask("cartesian", SHAPE, 3, 0.15, axis=axis)
    held = leave_out(undersample(simulate_scan(shepp_logan(SHAPE), coils=4), mask))
    assert held.left_out is not None
    out = held.left_out.numpy() if axis == "columns" else held.left_out.numpy().transpose(0, 2, 1)
    line = mask.samples[0] if axis == "columns" else mask.samples[:, 0]
    places = np.flatnonzero(out.any(axis=(0, 1)))
    assert len(places) >= 6
    assert line[places].all()
    assert (out.any(axis=1).sum(axis=0)[places] == 1).all()
    assert (out.any(axis=1) == out.all(axis=1)).all()
    distance = np.abs(places - line.size // 2)
    assert distance.min() > mask.centre[1 if axis == "columns" else 0] / 2
    assert distance.max() <= line.size / 4
    coils = out.any(axis=1).sum(axis=1)
    assert coils.max() - coils.min() <= 1


def test_points_are_left_out_of_one_coil_each():
    held = leave_out(undersample(simulate_scan(shepp_logan(SHAPE), coils=4), make_mask("gaussian", SHAPE, 4)))
    assert held.left_out is not None
    out = held.left_out.numpy()
    assert out.sum() > 100
    assert (out.sum(axis=0) <= 1).all()
    assert held.mask.samples[out.any(axis=0)].all()
    rows, columns = (np.arange(size) - size // 2 for size in SHAPE)
    assert np.hypot(rows[:, None], columns)[out.any(axis=0)].min() > 8


def test_what_is_left_out_is_not_fitted_and_the_same_every_time():
    measurement = undersample(simulate_scan(shepp_logan(SHAPE), coils=4), make_mask("cartesian", SHAPE, 3, 0.15))
    assert measurement.fitted is not None
    torch.testing.assert_close(measurement.fitted, measurement.measured)
    held, again = leave_out(measurement), leave_out(measurement)
    assert held.left_out is not None
    assert torch.equal(held.left_out, again.left_out)
    assert torch.equal(held.fitted | held.left_out, measurement.measured.expand_as(held.fitted))
    assert not (held.fitted & held.left_out).any()


def test_a_complete_scan_leaves_nothing_out():
    held = leave_out(undersample(simulate_scan(shepp_logan(SHAPE), coils=4), Mask(np.ones(SHAPE, dtype=bool))))
    assert held.left_out is not None
    assert not held.left_out.any()
