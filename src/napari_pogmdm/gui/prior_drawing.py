"""The prior draws an image while somebody watches: what the background does, without a window."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from torch import Tensor

from napari_pogmdm.gui.status import FloatImage
from napari_pogmdm.recon.unconditional import PriorSample, PriorSampler

FRAME_SECONDS = 0.08
"""Shortest time between two pictures."""

Content = TypeVar("Content")


class Mailbox(Generic[Content]):
    """One slot between two threads; what was not taken in time is replaced by what is newer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._content: Content | None = None

    def put(self, content: Content) -> None:
        """Leave something to be taken."""
        with self._lock:
            self._content = content

    def take(self) -> Content | None:
        """Take what there is, once."""
        with self._lock:
            content, self._content = self._content, None
            return content


@dataclass(frozen=True, eq=False)
class DrawnFrame:
    """A moment of the drawing: the noisy sample x_t, its estimate E[x_0 | x_t], and where it stands."""

    sample: FloatImage
    estimate: FloatImage
    step: int
    steps: int
    sigma: float


def draw(sampler: PriorSampler, cancelled: Callable[[], bool], post: Callable[[DrawnFrame], None]) -> DrawnFrame:
    """Step to the end, posting pictures on the way; when cancelled, the last one is where it stopped."""
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


def _frame(sampler: PriorSampler, state: PriorSample) -> DrawnFrame:
    return DrawnFrame(
        _plain(state.image), _plain(sampler.tweedie(state)), state.step, sampler.steps, sampler.level(state)
    )


def _plain(image: Tensor) -> FloatImage:
    return np.ascontiguousarray(image.numpy(), dtype=np.float32)
