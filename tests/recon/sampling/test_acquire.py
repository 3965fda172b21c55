from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.recon.sampling.acquire import acquire, own_trajectory


def radial(acquisition: Acquisition) -> Acquisition:
    trajectory = make_trajectory("radial", acquisition.shape, 20)
    samples = acquire(acquisition, trajectory)[1].numpy()
    return Acquisition(samples, source="spokes", trajectory=trajectory.positions, grid=acquisition.shape)


def test_a_trajectory_on_the_grid_takes_the_samples_of_the_grid(acquisition):
    axes = [(np.arange(size) - size // 2) / size for size in acquisition.shape]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2).astype(np.float32)
    samples = acquire(acquisition, Trajectory(grid, acquisition.shape))[1]
    expected = torch.from_numpy(acquisition.kspace).flatten(1)
    assert float(torch.linalg.vector_norm(samples - expected) / torch.linalg.vector_norm(expected)) < 1e-5


def test_a_scan_along_a_trajectory_keeps_its_own_samples(acquisition):
    scan = radial(acquisition)
    sampling, samples = acquire(scan, own_trajectory(scan))
    assert sampling.kind == "file"
    np.testing.assert_array_equal(samples.numpy(), scan.kspace)


def test_what_does_not_fit_together_is_refused(acquisition):
    scan = radial(acquisition)
    with pytest.raises(InputError, match="lies along a trajectory of its own; leave the mask out"):
        acquire(scan, make_mask("cartesian", scan.shape))
    with pytest.raises(InputError, match="was measured along another one"):
        acquire(scan, make_trajectory("radial", scan.shape, 21))
    with pytest.raises(InputError, match="has shape"):
        acquire(acquisition, make_trajectory("radial", (64, 64), 21))
    with pytest.raises(InputError, match="has no trajectory"):
        own_trajectory(acquisition)
    half = Acquisition(acquisition.kspace, source="half", mask=make_mask("cartesian", acquisition.shape).samples)
    with pytest.raises(InputError, match="simulated from a complete scan"):
        acquire(half, make_trajectory("radial", acquisition.shape, 21))
