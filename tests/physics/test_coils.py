from __future__ import annotations

import sys

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan, simulated_coils
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import low_pass_coils, normalise, null_space_residual, root_sum_of_squares
from napari_pogmdm.physics.compression import compress_coils
from napari_pogmdm.physics.espirit import espirit_coils
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.noise import noise_from_corners, noise_from_periphery, whiten, whitening_matrix

SHAPE = (96, 80)


@pytest.fixture(scope="module")
def kspace() -> torch.Tensor:
    return torch.from_numpy(simulate_scan(shepp_logan(SHAPE), coils=6, noise=0.03).kspace)


@pytest.fixture(scope="module")
def coils() -> torch.Tensor:
    return torch.from_numpy(simulated_coils(6, SHAPE))


@pytest.fixture(scope="module")
def head() -> torch.Tensor:
    return torch.from_numpy(shepp_logan(SHAPE)) > 0.1


def agreement(found: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """1 where coil vectors are parallel, whatever the pixel's phase."""
    return torch.linalg.vecdot(normalise(found), normalise(true), dim=0).abs()


def test_true_coils_leave_only_noise_in_the_null_space(kspace, coils, head):
    images = to_image(kspace)
    residual = null_space_residual(coils, images)[head]
    assert float(residual.mean()) < 0.13
    assert float(null_space_residual(coils.roll(1, dims=0), images)[head].mean()) > 0.2


def test_low_pass_coils_are_close_to_the_true_ones(kspace, coils, head):
    found = low_pass_coils(kspace, (20, 20))
    torch.testing.assert_close(root_sum_of_squares(found), torch.ones(SHAPE))
    assert float(agreement(found, coils)[head].mean()) > 0.99


def test_espirit_coils_are_closer_still(kspace, coils, head):
    found = espirit_coils(kspace, (24, 24))
    assert float(agreement(found, coils)[head].mean()) > float(
        agreement(low_pass_coils(kspace, (20, 20)), coils)[head].mean()
    )


def test_espirit_says_what_it_needs(kspace, monkeypatch):
    with pytest.raises(InputError, match="too small to calibrate"):
        espirit_coils(kspace, (96, 4))
    monkeypatch.setitem(sys.modules, "sigpy.mri.app", None)
    with pytest.raises(InputError, match=r"napari-pogmdm\[baselines\]"):
        espirit_coils(kspace, (24, 24))


def test_normalise_survives_pixels_without_any_coil():
    coils = torch.randn(3, 4, 4, dtype=torch.complex64)
    coils[:, 0, 0] = 0
    unit = normalise(coils)
    assert torch.isfinite(torch.view_as_real(unit)).all()
    assert float(root_sum_of_squares(unit)[1, 1]) == pytest.approx(1)
    assert float(normalise(torch.zeros(2, 3, 3)).abs().max()) == 0


def test_compression_keeps_the_asked_coils_and_says_how_much_energy(kspace):
    compression = compress_coils(kspace, 6)
    assert compression.kept_energy == pytest.approx(1)
    torch.testing.assert_close(root_sum_of_squares(compression(kspace)), root_sum_of_squares(kspace))
    fewer = compress_coils(kspace, 3)
    kept = fewer(kspace)
    assert kept.shape == (3, *SHAPE)
    ratio = float(kept.abs().square().sum() / kspace.abs().square().sum())
    assert fewer.kept_energy == pytest.approx(ratio, abs=1e-4)
    assert 0.5 < ratio < 1
    torch.testing.assert_close(fewer.matrix @ fewer.matrix.conj().T, torch.eye(3, dtype=torch.complex64))


@pytest.mark.parametrize("count", [0, 7])
def test_compression_to_impossible_counts_is_refused(kspace, count):
    with pytest.raises(InputError, match="from 1 to 6"):
        compress_coils(kspace, count)


def test_noise_is_estimated_from_periphery_and_corners(kspace):
    everything = torch.ones(SHAPE, dtype=torch.bool)
    assert float(noise_from_periphery(kspace, everything).mean()) == pytest.approx(0.03, rel=0.1)
    assert float(noise_from_corners(kspace).mean()) == pytest.approx(0.03, rel=0.1)


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
