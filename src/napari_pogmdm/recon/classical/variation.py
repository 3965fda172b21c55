"""Total variation and its gradient, smoothed at zero: the sum over pixels of sqrt(|D u|^2 + eps^2)."""

from __future__ import annotations

from torch import Tensor


def differences(image: Tensor) -> Tensor:
    """Forward differences (2, rows, columns) down and across, zero at the far border."""
    gradient = image.new_zeros((2, *image.shape))
    gradient[0, :-1] = image[1:] - image[:-1]
    gradient[1, :, :-1] = image[:, 1:] - image[:, :-1]
    return gradient


def differences_adjoint(gradient: Tensor) -> Tensor:
    """Adjoint of `differences`."""
    down, across = gradient[0, :-1], gradient[1, :, :-1]
    image = gradient.new_zeros(gradient.shape[1:])
    image[:-1] -= down
    image[1:] += down
    image[:, :-1] -= across
    image[:, 1:] += across
    return image


def real_non_negative(image: Tensor) -> Tensor:
    """Project onto real images without negative pixels."""
    return (image.real if image.is_complex() else image).clamp_min(0)


def total_variation(image: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return the smoothed total variation of a real or complex image, and its gradient."""
    gradient = differences(image)
    length = (gradient.abs().square().sum(dim=0) + epsilon**2).sqrt()
    return length.sum(), differences_adjoint(gradient / length)
