from __future__ import annotations

import sys
import threading
import time
from typing import Any

import pytest
import torch

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.scores import local

ROUNDS = 2000  # chances of the other thread, of which a busy computer may take many


def worst(approximate: torch.Tensor, exact: torch.Tensor) -> float:
    return ((approximate - exact).abs().max() / exact.abs().max()).item()


@pytest.mark.slow
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
    assert torch.equal(prior.score(image, 0.1), alone)


def test_the_gil_is_free_while_computing(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread gets its turn inside the kernel, where it can come from nothing but a lock that was let go."""
    prior = make.rough_prior("flf")
    image = torch.rand(200, 200, generator=torch.Generator().manual_seed(0))
    prior.score(image, 0.1)  # which compiles
    inside, seen, kernel = threading.Event(), threading.Event(), local.score_band

    def marked(*arguments: Any) -> None:
        inside.set()
        kernel(*arguments)
        inside.clear()

    def work() -> None:
        for _ in range(ROUNDS):
            prior.score(image, 0.1)
            if seen.is_set():
                break

    monkeypatch.setattr(local, "score_band", marked)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # seconds: nobody takes the lock away
    try:
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive() and not seen.is_set():
            time.sleep(0)
            if inside.is_set():
                seen.set()
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert seen.is_set()
