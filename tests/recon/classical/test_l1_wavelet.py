from __future__ import annotations

import sys

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.classical.l1_wavelet import L1Wavelet, L1WaveletSettings
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.measurement import reference_image
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.stepper import run

pytest.importorskip("sigpy")


@pytest.mark.slow
def test_with_wavelets_at_rest_it_finds_what_sigpys_own_reconstruction_finds(measurement):
    from sigpy.mri.app import L1WaveletRecon

    weight = 0.01
    method = L1Wavelet(measurement, L1WaveletSettings(steps=150, weight=weight, shift=False, crop=0.0))
    found = method.estimate(run(method)[0]).image.numpy()
    coils = starting_coils(measurement, "espirit").numpy()
    weights = measurement.sampling.measured.astype(np.float32)
    app = L1WaveletRecon(measurement.kspace.numpy(), coils, weight, weights=weights, max_iter=150, show_pbar=False)
    expected = app.run()
    assert np.linalg.norm(found - expected) < 0.02 * np.linalg.norm(expected)


@pytest.mark.slow
def test_it_is_better_than_conjugate_gradients_and_moving_wavelets_are_better_still(acquisition, measurement):
    reference = reference_image(acquisition)

    def psnr(method: str, **settings: object) -> float:
        return metrics(reference, reconstruct(measurement, method, **settings).image).psnr

    moving = psnr("l1-wavelet", steps=60)
    assert moving > psnr("espirit-cg") + 0.5
    assert moving > psnr("l1-wavelet", steps=60, shift=False)


def test_steps_are_told_and_it_can_be_stopped(measurement):
    told: list[int] = []
    result = reconstruct(
        measurement,
        "l1-wavelet",
        steps=9,
        progress=lambda done, _: told.append(done),
        cancelled=lambda: len(told) == 2,
    )
    assert told == [1, 2]
    assert result.record.stopped


def test_a_weight_of_zero_changes_no_image(measurement):
    """The wavelets are undone whatever the shift."""
    method = L1Wavelet(measurement, L1WaveletSettings(weight=0.0))
    image = method.start().image
    for iteration in range(9):
        torch.testing.assert_close(method.shrinking(iteration)(image, 1.0), image, atol=1e-5, rtol=1e-4)


def test_without_sigpy_it_says_what_to_install(measurement, monkeypatch):
    monkeypatch.setitem(sys.modules, "sigpy", None)
    with pytest.raises(InputError, match=r"l1-wavelet: needs SigPy: pip install 'napari-pogmdm\[baselines\]'"):
        reconstruct(measurement, "l1-wavelet")
