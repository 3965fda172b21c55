"""Denoising in several steps: the formula, and what it gains."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.networks.configuration import NetworkConfiguration
from napari_pogmdm.prior.networks.prior import NetworkPrior, network_shapes
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.algorithms.denoising import denoise_in_steps
from napari_pogmdm.recon.sampler.algorithms.orientations import turned, turned_back


@pytest.fixture(scope="module")
def experts() -> ScorePrior:
    return load_prior("flf-tc")


@pytest.fixture(scope="module")
def network() -> ScorePrior:
    configuration = NetworkConfiguration(width=4, growth=2, depth=2, blocks=1)
    generator = torch.Generator().manual_seed(0)
    shapes = network_shapes(configuration)
    return NetworkPrior(configuration, {n: 0.1 * torch.randn(s, generator=generator) for n, s in shapes.items()})


@pytest.fixture(params=["experts", "network"])
def prior(request) -> ScorePrior:
    return request.getfixturevalue(request.param)


def piecewise_smooth(rows: int = 96, columns: int = 80) -> np.ndarray:
    """Draw a slope, a disc and a bar: edges between flat and nearly flat parts, from 0 to 1."""
    y, x = np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    tissue = (x**2 + y**2 < 0.8) * (0.4 + 0.2 * x)
    return (tissue + 0.3 * ((x - 0.2) ** 2 + y**2 < 0.1) + 0.2 * (abs(y + 0.4) < 0.1)).astype(np.float32)


def decibels(truth: np.ndarray, image: np.ndarray) -> float:
    return -10 * math.log10(float(np.mean((truth - image) ** 2)))


def test_eight_steps_are_the_formula_written_out(prior):
    y = torch.rand(2, 12, 9, generator=torch.Generator().manual_seed(1))
    x, sigma = y, 0.1
    for number, level in enumerate(np.geomspace(0.07, 0.02, 8)):
        d = turned_back(prior.denoise(turned(x, number), float(level)), number)
        w = (0.07 / level) ** 2
        x = (y + w * d) / (1 + w)
    torch.testing.assert_close(denoise_in_steps(prior, y, sigma), d, atol=1e-5, rtol=0)


def test_fewer_steps_are_the_first_of_them(experts):
    y = torch.rand(12, 9, generator=torch.Generator().manual_seed(1))
    first = experts.denoise(y, 0.07)
    mixed = (y + first) / 2  # the first estimate weighs as much as what was measured
    second = turned_back(experts.denoise(turned(mixed, 1), 0.07 * (2 / 7) ** (1 / 7)), 1)
    torch.testing.assert_close(denoise_in_steps(experts, y, 0.1, steps=2), second, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.complex64])
def test_one_step_is_tweedies_formula_bit_for_bit(prior, kind):
    y = torch.rand(10, 11, dtype=kind)
    assert torch.equal(denoise_in_steps(prior, y, 0.1, steps=1), prior.denoise(y, 0.1))
    assert np.array_equal(denoise_in_steps(prior, y.numpy(), 0.1, steps=1), prior.denoise(y.numpy(), 0.1))


def test_more_steps_come_closer_to_the_truth(experts):
    clean = piecewise_smooth()
    noisy = clean + 0.1 * np.random.default_rng(0).standard_normal(clean.shape, dtype=np.float32)
    once, twice, eight, many = (
        decibels(clean, denoise_in_steps(experts, noisy, 0.1, steps)) for steps in (1, 2, 8, 30)
    )
    assert once < twice < eight
    assert eight > once + 0.2
    assert many > once + 0.2


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("shape", [(10, 13), (2, 1, 10, 13)])
def test_the_result_is_of_the_type_and_shape_that_one_step_gives(prior, kind, shape):
    y = np.random.default_rng(0).random(shape).astype(kind)
    for given in (y, torch.from_numpy(y)):
        before = given.copy() if isinstance(given, np.ndarray) else given.clone()
        found, expected = denoise_in_steps(prior, given, 0.1), prior.denoise(given, 0.1)
        assert type(found) is type(expected)
        assert found.dtype == expected.dtype
        assert found.shape == shape
        assert (given == before).all()


def test_a_complex_image_is_two_real_ones_and_a_stack_its_images(prior):
    y = torch.rand(3, 10, 13, dtype=torch.complex64, generator=torch.Generator().manual_seed(2))
    found = denoise_in_steps(prior, y, 0.1)
    torch.testing.assert_close(found.real, denoise_in_steps(prior, y.real.contiguous(), 0.1))
    torch.testing.assert_close(found.imag, denoise_in_steps(prior, y.imag.contiguous(), 0.1))
    torch.testing.assert_close(found[1], denoise_in_steps(prior, y[1], 0.1))


def test_torch_computes_on_one_thread_in_between(experts, monkeypatch):
    """Torch's own threads wait for each other after each operation, which takes longer than the operation."""
    seen, denoise = [], experts.denoise

    def watched(*arguments):
        seen.append(torch.get_num_threads())
        return denoise(*arguments)

    monkeypatch.setattr(experts, "denoise", watched)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        denoise_in_steps(experts, torch.zeros(10, 13), 0.1, steps=3)
        assert seen == [1, 1, 1]
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("steps", [1, 2, 8, 100])
def test_without_noise_nothing_is_removed(prior, steps):
    y = torch.rand(10, 13)
    torch.testing.assert_close(denoise_in_steps(prior, y, 0.0, steps), y)


def test_the_faintest_levels_still_give_numbers(prior):
    y = torch.rand(10, 13)
    assert denoise_in_steps(prior, y, 1e-3, steps=100).isfinite().all()


def test_without_noise_the_image_stays_as_it_is(experts):
    y = torch.rand(10, 13)
    assert torch.equal(denoise_in_steps(experts, y, 0.0), y)


@pytest.mark.parametrize("steps", [0, -1, 101, 2.0, True, "8", None])
def test_senseless_numbers_of_steps_are_refused(experts, steps):
    with pytest.raises(InputError, match=r"^steps: .* is not a whole number from 1 to 100\.$"):
        denoise_in_steps(experts, torch.zeros(8, 8), 0.1, steps)


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize(
    ("image", "sigma", "words"),
    [
        (torch.zeros(8, 8), -0.1, "noise level is -0.1"),
        (torch.zeros(8, 8), math.nan, "noise level is nan"),
        (torch.zeros(8), 0.1, "too small for flf-tc"),
        (torch.zeros(8, 8, dtype=torch.int32), 0.1, "no score"),
        ([[0.0] * 8] * 8, 0.1, "NumPy array or a torch tensor"),
    ],
)
def test_what_cannot_be_denoised_is_refused_in_one_sentence(experts, image, sigma, words, steps):
    with pytest.raises(InputError, match=words):
        denoise_in_steps(experts, image, sigma, steps)
