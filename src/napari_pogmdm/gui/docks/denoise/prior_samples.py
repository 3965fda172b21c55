"""Samples of the prior alone, drawn while somebody watches: what the background does, without a window."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.recon.sampler.unconditional import PriorSample, PriorSampler

FRAME_SECONDS = 0.08
"""Shortest time between two pictures: twelve a second look like a film."""


@dataclass(frozen=True, eq=False)
class SampleFrame:
    """A moment of the sampling.

    Attributes
    ----------
    sample, estimate
        (rows, columns) The noisy sample x_t, and its estimate E[x_0 | x_t].
    step, steps
        Langevin steps that are done, and those of the whole.
    sigma
        Noise level.
    """

    sample: FloatImage
    estimate: FloatImage
    step: int
    steps: int
    sigma: float


def draw_sample(
    sampler: PriorSampler, cancelled: Callable[[], bool], post: Callable[[SampleFrame], None]
) -> SampleFrame:
    """Step to the end, posting frames on the way; when cancelled, the last one is where it stopped."""
    state = sampler.start()
    post(_frame(sampler, state))
    posted = time.perf_counter()
    while state.step < sampler.steps and not cancelled():
        state = sampler.step(state)
        if time.perf_counter() - posted >= FRAME_SECONDS:
            post(_frame(sampler, state))
            posted = time.perf_counter()
    last = _frame(sampler, state)
    post(last)
    return last


def _frame(sampler: PriorSampler, state: PriorSample) -> SampleFrame:
    return SampleFrame(
        _plain(state.image), _plain(sampler.tweedie(state)), state.step, sampler.steps, sampler.level(state)
    )


def _plain(image: Tensor) -> FloatImage:
    return np.ascontiguousarray(image.numpy(), dtype=np.float32)
