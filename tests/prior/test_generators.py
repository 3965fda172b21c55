"""The generators of the shearlet system against their published numbers."""

from __future__ import annotations

import math

import pytest
import torch

from napari_pogmdm.prior.generators import fan, initial_generators, low_pass


def test_generators_at_the_start() -> None:
    kernel = fan()
    assert kernel.sum().item() == pytest.approx(1.0)
    assert kernel.abs().sum().item() == pytest.approx(2.80902, abs=1e-5)
    assert kernel.abs().max().item() == pytest.approx(0.84127, abs=1e-5)
    assert int((kernel.abs() > 1e-12).sum()) == 181
    assert torch.fft.fft2(kernel, s=(64, 64)).abs().max().item() == pytest.approx(math.sqrt(2), abs=1e-3)
    assert low_pass().sum().item() == pytest.approx(1.0)
    assert low_pass().abs().sum().item() == pytest.approx(1.3125, abs=1e-4)


def test_projected_fan_keeps_five_taps() -> None:
    kernel = initial_generators()["fan"]
    taps = kernel[kernel != 0]
    assert taps.numel() == 5
    assert kernel[8, 8].item() == pytest.approx(0.6722, abs=1e-4)
    assert kernel[7, 8].item() == kernel[9, 8].item() == pytest.approx(0.0819, abs=1e-4)
    assert kernel[8, 7].item() == kernel[8, 9].item() == pytest.approx(-0.0819, abs=1e-4)
    assert initial_generators(keep_fan_shape=True)["fan"].abs().sum().item() == pytest.approx(1.0)
