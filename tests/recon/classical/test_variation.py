from __future__ import annotations

import pytest
import torch

from napari_pogmdm.recon.classical.variation import differences, differences_adjoint, total_variation


def test_total_variation_has_the_gradient_and_adjoint_it_should():
    image = torch.randn(7, 9, dtype=torch.complex128, generator=torch.Generator().manual_seed(0))
    dual = torch.randn(2, 7, 9, dtype=torch.complex128, generator=torch.Generator().manual_seed(1))
    left = torch.vdot(differences(image).flatten(), dual.flatten())
    right = torch.vdot(image.flatten(), differences_adjoint(dual).flatten())
    assert abs(left - right) < 1e-12
    away = torch.randn(7, 9, dtype=torch.complex128, generator=torch.Generator().manual_seed(2))
    step = 1e-6
    plus, minus = (float(total_variation(image + sign * step * away, 0.01)[0]) for sign in (1, -1))
    slope = float(torch.vdot(total_variation(image, 0.01)[1].flatten(), away.flatten()).real)
    assert (plus - minus) / (2 * step) == pytest.approx(slope, rel=1e-6)
