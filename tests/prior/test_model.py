"""The prior's score: right, conservative, the same on every path, and a good neighbour to other threads."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from typing import Any

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.model import Prior

KINDS = ["flf", "flf-tc", "flf-softplus", "sh-1", "sh-2", "sh-2-shared"]


@pytest.mark.parametrize("kind", KINDS)
def test_score_is_minus_the_gradient_of_the_energy(make: Any, kind: str) -> None:
    prior = make.rough_prior(kind)
    image = make.piecewise_image(40, 44)
    noisy = (image + 0.05 * make.noise_like(image)).requires_grad_()
    (gradient,) = torch.autograd.grad(prior.energy(noisy, 0.05), noisy)
    score = prior.score(noisy.detach(), 0.05, exact=True)
    assert ((score + gradient).norm() / gradient.norm()).item() < 1e-5


@pytest.mark.parametrize("kind", ["flf-tc", "sh-1"])
@pytest.mark.parametrize("exact", [True, False])
def test_jacobian_is_symmetric(make: Any, kind: str, exact: bool) -> None:
    """Finite differences of <v, J u> and <u, J v> on a random pair agree: the field is conservative."""
    prior = make.rough_prior(kind)
    image = make.piecewise_image(24, 20)
    noisy = image + 0.1 * make.noise_like(image)
    u, v = make.noise_like(image, 2), make.noise_like(image, 3)
    h = 1e-5

    def directional(direction: torch.Tensor) -> torch.Tensor:
        ahead = prior.score(noisy + h * direction, 0.1, exact=exact)
        return (ahead - prior.score(noisy - h * direction, 0.1, exact=exact)) / (2 * h)

    left, right = (v * directional(u)).sum().item(), (u * directional(v)).sum().item()
    assert left == pytest.approx(right, rel=2e-3 if not exact else 1e-6, abs=1e-3)


@pytest.mark.parametrize("kind", ["flf", "sh-2"])
def test_real_and_imaginary_parts_are_two_images(make: Any, kind: str) -> None:
    prior = make.rough_prior(kind)
    image = torch.stack([make.piecewise_image(36, 50, seed) for seed in range(3)]).float()
    other = torch.stack([make.piecewise_image(36, 50, seed) for seed in range(5, 8)]).float()
    score = prior.score(torch.complex(image, other), 0.1)
    torch.testing.assert_close(score.real, prior.score(image, 0.1), rtol=1e-4, atol=1e-3)
    torch.testing.assert_close(score.imag, prior.score(other, 0.1), rtol=1e-4, atol=1e-3)
    for index in range(3):
        torch.testing.assert_close(score[index].real, prior.score(image[index], 0.1), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("kind", ["flf", "sh-1"])
def test_borders_are_circular(make: Any, kind: str) -> None:
    prior = make.rough_prior(kind)
    image = make.piecewise_image(33, 47).float()
    shifted = image.roll((5, -9), (0, 1))
    expected = prior.score(image, 0.08).roll((5, -9), (0, 1))
    torch.testing.assert_close(prior.score(shifted, 0.08), expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("kind", ["flf", "sh-1"])
def test_two_python_threads_may_ask_at_once(make: Any, kind: str) -> None:
    prior = make.rough_prior(kind)
    image = make.piecewise_image(96, 96).float()
    levels = [0.01 * (step + 1) for step in range(12)]
    expected = [prior.score(image, sigma) for sigma in levels]
    results: dict[int, list[torch.Tensor]] = {}

    def work(number: int) -> None:
        results[number] = [prior.score(image, sigma) for sigma in levels]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(2):
        for got, wanted in zip(results[number], expected, strict=True):
            torch.testing.assert_close(got, wanted)


MEMORY = """
import resource, sys
from pathlib import Path
import torch
from napari_pogmdm.prior.configuration import VARIANTS
from napari_pogmdm.prior.initial import initial_parameters
from napari_pogmdm.prior.model import Prior
torch.set_num_threads(2)
configuration = VARIANTS[sys.argv[1]]
prior = Prior(configuration, initial_parameters(configuration, 0))
image = torch.complex(torch.rand(900, 900), torch.rand(900, 900))
prior.score(image, 0.1)
had = 1024 * int(Path("/proc/self/status").read_text().split("VmData:")[1].split()[0])
most = had + int(float(sys.argv[2]) * 8 * image.numel())
resource.setrlimit(resource.RLIMIT_DATA, (most, most))
print("begins", flush=True)
prior.score(image, 0.1)
print("fits", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone limits the memory of all kinds of blocks")
@pytest.mark.parametrize("kind", ["flf", "sh-1"])
@pytest.mark.parametrize(("images", "fits"), [(12, True), (0.5, False)])
def test_memory_of_one_score_is_a_few_images(kind: str, images: float, fits: bool) -> None:
    """Memory that may be asked for during one score, in images of its input's size, beside the filters' spectra.

    It is limited rather than looked at: how much of it is resident depends on what else the computer does.
    """
    # Larger blocks go back to the system when freed; else the second score could live on what the first one left.
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"}
    command = [sys.executable, "-c", MEMORY, kind, str(images)]
    told = subprocess.run(command, check=False, capture_output=True, text=True, env=environment).stdout.split()
    assert told == ["begins", "fits"][: 1 + fits]


@pytest.mark.parametrize("sigma", [-0.1, float("nan"), float("inf")])
def test_impossible_noise_levels_are_refused(make: Any, sigma: float) -> None:
    with pytest.raises(InputError, match="noise level"):
        make.rough_prior("flf").score(torch.zeros(16, 16), sigma)


@pytest.mark.parametrize(
    "image", [torch.zeros(16), torch.zeros(3, 16), torch.zeros(0, 16, 16), torch.zeros(9, 9, dtype=torch.int32)]
)
def test_impossible_images_are_refused(make: Any, image: torch.Tensor) -> None:
    with pytest.raises(InputError, match="image"):
        make.rough_prior("flf").score(image, 0.1)


@pytest.mark.parametrize("kind", ["flf-tc", "sh-1"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
def test_contributions_of_all_filters_sum_to_the_score(make: Any, kind: str, dtype: torch.dtype) -> None:
    prior = make.rough_prior(kind)
    image = make.piecewise_image(40, 44).to(dtype)
    parts = [prior.contribution(image, 0.05, k) for k in range(prior.configuration.filters)]
    score = prior.score(image, 0.05)
    assert ((sum(parts) - score).abs().max() / score.abs().max()).item() < 1e-5
    assert parts[0].abs().max() > 0


def test_a_contribution_pulls_through_its_own_filter_alone(make: Any) -> None:
    prior = make.rough_prior("flf-tc")
    impulse = torch.zeros(24, 24)
    impulse[12, 12] = 0.3
    part = prior.contribution(impulse, 0.05, 3)
    energy = lambda x: prior.energy(x, 0.05)  # noqa: E731
    reached = part.abs() > 1e-6
    assert reached[8:17, 8:17].sum() == reached.sum()
    assert energy((impulse + 1e-4 * part).double()) < energy(impulse.double())


def test_a_filter_that_does_not_exist_is_refused(make: Any) -> None:
    prior = make.rough_prior("flf-tc")
    with pytest.raises(InputError, match="choose 0 to 19"):
        prior.contribution(torch.zeros(24, 24), 0.05, 20)


def one_gaussian(kernel: torch.Tensor, bound: float = 0.5) -> Prior:
    """A prior with one filter whose mixture is, but for weights of 1e-14, a single Gaussian at zero."""
    configuration = PriorConfiguration(filter_count=1, filter_size=kernel.shape[-1], bound=bound)
    half = torch.full((1, 63), 1e-14, dtype=torch.float64)
    half[0, 0] = 1 - 124e-14
    return Prior(configuration, {"weights": half, "filters": kernel[None]})


def test_single_gaussian_shrinks_the_pass_band_by_the_known_factor() -> None:
    """Tweedie's estimate of a wave at the filter's peak is shrunk by (sigma_0^2) / (sigma_0^2 + nu^2 2t)."""
    kernel = torch.zeros(3, 3, dtype=torch.float64)
    kernel[1, 1], kernel[1, 2] = -0.5, 0.5
    prior = one_gaussian(kernel, bound=5.0)
    wave = 0.3 * torch.cos(math.pi * torch.arange(16, dtype=torch.float64)).expand(16, 16)
    sigma, sigma_0 = 0.2, 10 / 124
    shrunk = sigma_0**2 / (sigma_0**2 + sigma**2)
    torch.testing.assert_close(prior.denoise(wave, sigma), shrunk * wave, rtol=1e-6, atol=1e-9)


def test_filters_have_zero_mean_so_a_brighter_image_has_the_same_score(make) -> None:
    prior = make.rough_prior("flf")
    image = make.piecewise_image(32, 32)
    torch.testing.assert_close(prior.score(image + 0.5, 0.1), prior.score(image, 0.1), rtol=1e-5, atol=1e-4)
