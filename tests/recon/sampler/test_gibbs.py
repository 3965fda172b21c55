"""The yardstick itself: labels and images have the distributions that they are drawn from."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.sampler.gibbs import GibbsSampler, _draw_labels

SHAPE = (12, 10)


@pytest.fixture(scope="module")
def one_coil():
    return undersample(simulate_scan(shepp_logan(SHAPE), coils=1, noise=0.02), make_mask("cartesian", SHAPE, 2, 0.3))


def test_labels_are_as_probable_as_the_response_makes_them():
    means, weights = np.linspace(-0.5, 0.5, 5), np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    spread, value, count = 0.2, 0.3, 40_000
    chance = np.random.default_rng(0).random((1, 1, count))
    drawn = np.empty((1, 1, count))
    _draw_labels(np.full((1, 1, count), value), chance, np.log(weights)[None], means, np.array([spread]), drawn)
    expected = weights * np.exp(-((value - means) ** 2) / (2 * spread**2))
    found = [(np.isclose(drawn, mean)).mean() for mean in means]
    np.testing.assert_allclose(found, expected / expected.sum(), atol=0.01)


def test_an_image_is_drawn_from_its_gaussian_given_the_labels(prior, one_coil, monkeypatch):
    """Labels that are held leave a Gaussian, whose mean and covariance a dense solve knows."""
    import napari_pogmdm.recon.sampler.gibbs as module

    variances = prior.variances(0.05)
    held = 0.1 * np.random.default_rng(2).normal(size=(len(variances), *SHAPE))
    monkeypatch.setattr(module, "_draw_labels", lambda *arrays: np.copyto(arrays[-1], held))
    sampler = GibbsSampler(one_coil, prior, 0.05, 0.1)
    state, drawn = sampler.start(), []
    for _ in range(3000):
        state = sampler.step(state)
        drawn.append(state.image.flatten())
    pixels = torch.eye(120, dtype=torch.float64).view(120, *SHAPE)
    responses = prior.responses(pixels).flatten(2)  # (pixels, filters, places)
    precision = torch.einsum("akp,bkp,k->ab", responses, responses, 1 / variances)
    forward = torch.fft.fftshift(torch.fft.fft2(torch.fft.ifftshift(pixels, dim=(-2, -1)), norm="ortho"), dim=(-2, -1))
    forward = (forward * torch.from_numpy(one_coil.mask.samples)).flatten(1)
    precision = precision + (forward @ forward.mH).real / 0.1**2
    pull = (forward.conj() @ one_coil.kspace.flatten().to(torch.complex128)).real / 0.1**2
    labels = torch.from_numpy(held).flatten(1).to(responses)
    pull = pull + torch.einsum("akp,kp,k->a", responses, labels, 1 / variances)
    samples = torch.stack(drawn)
    covariance = torch.linalg.inv(precision)
    size = float(covariance.diagonal().max())
    torch.testing.assert_close(torch.cov(samples.T), covariance, rtol=0, atol=6 * size / 3000**0.5)
    torch.testing.assert_close(
        samples.mean(dim=0), torch.linalg.solve(precision, pull), rtol=0, atol=6 * (size / 3000) ** 0.5
    )


@pytest.mark.slow
def test_the_same_seed_gives_the_same_sweeps(prior, one_coil):
    def run(seed: int):
        sampler = GibbsSampler(one_coil, prior, 0.05, 0.02, seed=seed)
        return sampler.estimate(sampler.step(sampler.step(sampler.start()))).image

    assert torch.equal(run(1), run(1))
    assert not torch.equal(run(1), run(2))


def test_what_it_cannot_sample_is_said(prior, one_coil, small):
    with pytest.raises(InputError, match="3 coils"):
        GibbsSampler(small, prior, 0.05, 0.02)
    with pytest.raises(InputError, match="positive"):
        GibbsSampler(one_coil, prior, 0.05, 0.0)
    samples = one_coil.mask.samples.copy()
    samples[SHAPE[0] // 2, SHAPE[1] // 2] = False
    hollow = undersample(simulate_scan(shepp_logan(SHAPE), coils=1, noise=0.02), Mask(samples))
    with pytest.raises(InputError, match="centre"):
        GibbsSampler(hollow, prior, 0.05, 0.02)
