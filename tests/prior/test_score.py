"""The score: right, conservative, the same on every path, and a good neighbour to other threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.model import Prior

KINDS = ["flf", "flf-tc", "flf-softplus", "sh-1", "sh-2", "sh-2-shared"]
SAMPLER_LEVELS = [0.001, 0.0016, 0.008, 0.0435, 0.168, 0.489]


def worst(approximate: torch.Tensor, exact: torch.Tensor) -> float:
    return ((approximate - exact).abs().max() / exact.abs().max()).item()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sigma", SAMPLER_LEVELS)
def test_table_is_exact_to_a_thousandth_over_the_samplers_noise_range(make: Any, kind: str, sigma: float) -> None:
    prior = make.rough_prior(kind)
    image = make.piecewise_image(72, 60)
    noisy = (image + sigma * make.noise_like(image)).float()
    exact = prior.score(noisy.double(), sigma, exact=True)
    assert worst(prior.score(noisy, sigma).double(), exact) < 1e-3
    assert worst(prior.score(noisy.double(), sigma), exact) < 1e-3


def test_table_holds_far_beyond_the_means(make: Any) -> None:
    prior = make.rough_prior("flf-tc")
    image = 20 * make.piecewise_image(48, 48)
    exact = prior.score(image, 0.1, exact=True)
    assert worst(prior.score(image.float(), 0.1).double(), exact) < 5e-3


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


def test_strided_input_and_given_output(make: Any) -> None:
    prior = make.rough_prior("flf")
    image = make.piecewise_image(50, 40).float()
    plain = prior.score(image, 0.1)
    torch.testing.assert_close(prior.score(image.T.contiguous().T, 0.1), plain)
    out = torch.empty(2, 40, 50).transpose(1, 2)
    assert prior.score(torch.stack([image, image]), 0.1, out=out) is out
    torch.testing.assert_close(out[1], plain)
    complex_image = torch.complex(image, image)
    torch.testing.assert_close(prior.score(complex_image.conj(), 0.1).imag, prior.score(-image, 0.1))


@pytest.mark.parametrize(("count", "size"), [(3, 3), (5, 7), (2, 9)])
def test_other_filter_sizes(make: Any, count: int, size: int) -> None:
    prior = make.rough_prior(PriorConfiguration(filter_count=count, filter_size=size))
    image = make.piecewise_image(30, 41)
    exact = prior.score(image, 0.05, exact=True)
    assert worst(prior.score(image.float(), 0.05).double(), exact) < 1e-3


def test_number_of_threads_does_not_change_the_score(make: Any) -> None:
    prior = make.rough_prior("flf")
    image = make.piecewise_image(200, 64).float()
    alone = prior.score(image, 0.1)
    torch.set_num_threads(4)
    torch.testing.assert_close(prior.score(image, 0.1), alone, rtol=1e-5, atol=1e-4)


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


def test_the_gil_is_free_while_computing(make: Any) -> None:
    """Another thread gets its turn all the while; tried again, as a busy computer may take it away."""
    prior = make.rough_prior("flf")
    image = torch.rand(1500, 1500, generator=torch.Generator().manual_seed(0))
    prior.score(image[:64, :64], 0.1)
    assert min(_longest_wait(prior, image) for _ in range(5)) < 0.6


def _longest_wait(prior: Prior, image: torch.Tensor) -> float:
    """Longest time this thread had to wait while another computed a score, as a share of the whole."""
    finished = threading.Event()

    def work() -> None:
        prior.score(image, 0.1)
        finished.set()

    thread = threading.Thread(target=work)
    thread.start()
    longest, last = 0.0, time.perf_counter()
    started = last
    while not finished.is_set():
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    thread.join()
    took = last - started
    assert took > 0.05, "the image is too small to show anything"
    return longest / took


MEMORY = """
import sys
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
Path("/proc/self/clear_refs").write_text("5")
status = lambda key: int(Path("/proc/self/status").read_text().split(key)[1].split()[0])
before = status("VmRSS:")
prior.score(image, 0.1)
print(1024 * (status("VmHWM:") - before) / (8 * image.numel()))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak memory from /proc")
@pytest.mark.parametrize("kind", ["flf", "sh-1"])
def test_memory_of_one_score_is_a_few_images(kind: str) -> None:
    """Peak resident memory during one score, in images of the input's size; the filters' spectra are kept apart."""
    command = [sys.executable, "-c", MEMORY, kind]
    # Larger blocks go back to the system when freed; else the second score could live on what the first one left.
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"}
    images = float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)
    assert 0.5 < images < 12


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
