from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.noise import noise_from_periphery, whiten, whitening_matrix

SHAPE = (96, 80)


def test_noise_is_estimated_from_the_periphery(kspace):
    everything = torch.ones(SHAPE, dtype=torch.bool)
    assert float(noise_from_periphery(kspace, everything).mean()) == pytest.approx(0.03, rel=0.1)


def test_noise_estimate_leaves_out_what_was_not_measured(kspace):
    mask = torch.rand(SHAPE, generator=torch.Generator().manual_seed(0)) < 0.3
    assert float(noise_from_periphery(kspace * mask, mask).mean()) == pytest.approx(0.03, rel=0.1)
    padded = kspace.clone()
    padded[..., :8] = padded[..., -8:] = 0
    assert float(noise_from_periphery(padded, torch.ones(SHAPE, dtype=torch.bool)).mean()) == pytest.approx(
        0.03, rel=0.1
    )
    centre_only = torch.zeros(SHAPE, dtype=torch.bool)
    centre_only[40:56, 32:48] = True
    with pytest.raises(InputError, match="too few samples"):
        noise_from_periphery(kspace * centre_only, centre_only)


def test_whitening_makes_the_noise_of_coils_equal_and_uncorrelated():
    generator = np.random.default_rng(0)
    white = generator.normal(size=(4, 64, 64)) + 1j * generator.normal(size=(4, 64, 64))
    mixing = generator.normal(size=(4, 4)) + 1j * generator.normal(size=(4, 4))
    coloured = torch.from_numpy(np.einsum("dc,cyx->dyx", mixing, white))
    everything = torch.ones(64, 64, dtype=torch.bool)
    result = whiten(coloured, whitening_matrix(coloured, everything)).reshape(4, -1)
    covariance = (result @ result.conj().T) / (2 * result.shape[1])
    scale = float(covariance.diagonal().real.mean())
    assert float((covariance / scale - torch.eye(4)).abs().max()) < 0.1
    assert scale == pytest.approx(float(coloured.abs().square().mean() / 2), rel=0.1)
