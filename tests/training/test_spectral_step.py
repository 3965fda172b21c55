from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.prior.scores.table import Table
from napari_pogmdm.training.spectral_step import spectral_patch


def straight(slope: float) -> Table:
    """A table of the function u -> slope u."""
    values = np.array([[0.0, slope, 2 * slope]])
    cells = np.stack([values[:, :-1], np.diff(values)], axis=-1).astype(np.float32)
    return Table(values, np.ones(1), cells, np.ones(1, dtype=np.float32))


def test_the_loss_is_that_of_the_score_inside_the_margin_and_gradients_are_added():
    generator = torch.Generator().manual_seed(0)
    noisy, noise = (torch.randn(24, 20, generator=generator) for _ in range(2))
    spectra = torch.ones(1, 24, 11, dtype=torch.complex64)  # the identity: responses are the image itself
    gradient, nodes = torch.zeros_like(spectra), np.zeros((1, 3))
    loss = spectral_patch(noisy, noise, 0.2, 0.7, spectra, straight(2.0), 3, gradient, nodes)
    error = (0.2 * -2.0 * noisy + noise)[3:-3, 3:-3]
    assert loss == pytest.approx(0.7 * float((error**2).mean()), rel=1e-4)
    once, once_nodes = gradient.clone(), nodes.copy()
    assert float(once.abs().max()) > 0
    spectral_patch(noisy, noise, 0.2, 0.7, spectra, straight(2.0), 3, gradient, nodes)
    torch.testing.assert_close(gradient, 2 * once)
    np.testing.assert_allclose(nodes, 2 * once_nodes)
