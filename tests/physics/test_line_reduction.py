"""Smoothing by cyclic reduction is that by sine transforms along both axes."""

from __future__ import annotations

import pytest
import torch

from napari_pogmdm.physics.line_reduction import LineReduction
from napari_pogmdm.physics.smoothness import SmoothnessProx

SHAPES = [(4, 4), (5, 7), (6, 5), (9, 6), (12, 8), (33, 62), (40, 36)]  # columns over multiples of four: 0, 1, 2 and 3


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.complex128, generator=torch.Generator().manual_seed(0))


def exact(images: torch.Tensor, beta: float) -> torch.Tensor:
    return SmoothnessProx((images.shape[-2], images.shape[-1]), dtype=torch.float64)(images, beta)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("beta", [1e-60, 1e-9, 1e-3, 0.1, 1.0, 50.0, 1e6, 1e15])
def test_it_is_exact_to_single_precision_at_any_strength(shape, beta):
    images = numbers(2, *shape)
    wanted = exact(images, beta)
    found = SmoothnessProx(shape)(images.to(torch.complex64), beta)
    assert float((found - wanted).abs().max() / wanted.abs().max()) < 3e-6


def test_the_strength_may_change_and_come_back():
    images, prox = numbers(2, 12, 9).to(torch.complex64), SmoothnessProx((12, 9))
    first = prox(images, 1.0)
    assert not torch.equal(first, prox(images, 2.0))
    torch.testing.assert_close(prox(images, 1.0), first, rtol=0, atol=0)


def test_images_may_be_conjugated_or_a_part_of_others():
    whole, prox = numbers(2, 12, 14).to(torch.complex64), SmoothnessProx((12, 9))
    part = whole[..., 2:11]
    torch.testing.assert_close(prox(part.conj(), 3.0), prox(part.contiguous(), 3.0).conj().resolve_conj())


def test_every_image_is_the_same_alone_and_beside_others():
    images, prox = numbers(5, 40, 36).to(torch.complex64), SmoothnessProx((40, 36))
    together = prox(images, 3.0)
    torch.testing.assert_close(prox(images[3:4], 3.0)[0], together[3], rtol=0, atol=0)


@pytest.mark.parametrize(
    "images", [torch.zeros(3, 9, dtype=torch.complex64), torch.zeros(9, 3, dtype=torch.complex64), torch.zeros(9, 9)]
)
def test_small_and_real_images_go_the_other_way(images):
    assert not LineReduction.fits(images)
    assert SmoothnessProx((images.shape[0], images.shape[1]))(images, 1.0).shape == images.shape
