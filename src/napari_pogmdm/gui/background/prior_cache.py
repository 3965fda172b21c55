"""Loaded models, kept so that their tables are made once."""

from __future__ import annotations

import threading

import torch

from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import load_prior

_SMALL = (16, 16)  # pixels; compiling does not depend on them, computing does
_ANY_LEVEL = 0.1  # noise standard deviation; all levels share one compiled score


class PriorCache:
    """Loaded models by name or path, so that their tables are kept; may be used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._priors: dict[str, ScorePrior] = {}

    def __call__(self, source: str) -> ScorePrior:
        """Give a model, loaded on first use."""
        with self._lock:
            if source not in self._priors:
                self._priors[source] = load_prior(source)
            return self._priors[source]

    def warm_up(self, source: str) -> None:
        """Load a model and have its score compiled, so that the first picture is as quick as the next."""
        self(source).score(torch.zeros(_SMALL), _ANY_LEVEL)
