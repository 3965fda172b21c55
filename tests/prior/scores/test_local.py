from __future__ import annotations

import threading
import time
from typing import Any

import pytest
import torch

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.model import Prior


def worst(approximate: torch.Tensor, exact: torch.Tensor) -> float:
    return ((approximate - exact).abs().max() / exact.abs().max()).item()


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
