"""What samplers ask of a prior, whatever it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.settings import Settings

ArrayOrTensor = TypeVar("ArrayOrTensor", Tensor, NDArray[Any])


class ScorePrior(Protocol):
    """A density of images at every noise level that is known by its score alone.

    Attributes
    ----------
    name
        What it is called.
    information
        What its weight file says: ``source``, ``training``.
    configuration
        What it is made of.
    """

    name: str
    information: dict[str, Any]

    @property
    def configuration(self) -> Settings:
        """What it is made of."""

    @property
    def parameter_count(self) -> int:
        """Number of learned numbers."""

    @property
    def parameters(self) -> Mapping[str, Tensor]:
        """Learned tensors by name."""

    def score(self, x: Tensor, sigma: float) -> Tensor:
        """Score grad_x log p(x, t) of images (..., height, width), real or complex, at sigma = sqrt(2t)."""

    def denoise(self, x: ArrayOrTensor, sigma: float) -> ArrayOrTensor:
        """One-step estimate E[X_0 | X_t = x] of images (..., height, width), real or complex."""


def noise_level(sigma: float) -> float:
    """Check a noise standard deviation."""
    level = float(sigma)
    if not 0.0 <= level < float("inf"):
        raise InputError(f"The noise level is {sigma}; give a standard deviation of zero or more, such as 0.1.")
    return level


def as_tensor(x: Any) -> Tensor:
    """Take an image as a tensor; arrays are converted to single precision."""
    if isinstance(x, np.ndarray):
        return torch.from_numpy(x.astype(np.complex64 if np.iscomplexobj(x) else np.float32))
    if not isinstance(x, Tensor):
        raise InputError(f"An image is a NumPy array or a torch tensor, not a {type(x).__name__}.")
    return x


def check_image(x: Tensor, name: str, taps: int) -> None:
    """Refuse what has no score.

    Parameters
    ----------
    x
        Image (..., height, width).
    name
        Of the prior, for the sentence.
    taps
        Pixels that each side must have.
    """
    if x.ndim < 2 or min(x.shape[-2:]) < taps or 0 in x.shape:
        raise InputError(f"An image of shape {tuple(x.shape)} is too small for {name}; give at least {taps} pixels.")
    if not (x.is_floating_point() or x.is_complex()):
        raise InputError(f"An image of type {x.dtype} has no score; convert it to floating point first.")


def real_images(x: Tensor) -> tuple[Tensor, Any]:
    """View images as real ones (images, height, width), with the way back for results of that layout."""
    lead = x.shape[:-2]
    if not x.is_complex():
        return x.reshape(-1, *x.shape[-2:]), lambda result: result.reshape(*lead, *result.shape[1:])
    planes = torch.view_as_real(x.resolve_conj()).movedim(-1, 0).reshape(-1, *x.shape[-2:])

    def restore(result: Tensor) -> Tensor:
        halves = result.reshape(2, *lead, *result.shape[1:])
        return torch.complex(halves[0], halves[1])

    return planes, restore
