from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.classical.cg_sense import CgSense, CgSenseSettings
from napari_pogmdm.recon.classical.espirit_cg import EspiritCg, EspiritCgSettings, squared_differences_gradient
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.stepper import run

pytest.importorskip("sigpy")


def test_the_penalty_is_half_the_squared_differences_of_neighbours():
    image = torch.randn(7, 6, dtype=torch.complex128, generator=torch.Generator().manual_seed(1)).requires_grad_()
    energy = sum((image - image.roll(1, axis)).abs().square().sum() for axis in (0, 1)) / 2
    (expected,) = torch.autograd.grad(energy, image)
    torch.testing.assert_close(squared_differences_gradient(image.detach()), expected)


@pytest.mark.slow
def test_calibrated_coils_on_the_object_make_a_better_image_than_everywhere(acquisition, measurement):
    reference = reference_image(acquisition)
    plain = reconstruct(measurement, "cg-sense", coil_start="espirit")
    found = reconstruct(measurement, "espirit-cg")
    assert metrics(reference, found.image).psnr > metrics(reference, plain.image).psnr + 0.5
    assert found.record.method == "espirit-cg"
    assert found.record.settings["weight"] == EspiritCgSettings().weight


def test_the_background_is_left_out_and_the_coils_stay_whole(measurement):
    method = EspiritCg(measurement)
    estimate = method.estimate(run(method)[0])
    off = estimate.image == 0
    assert 0.05 < float(off.float().mean()) < 0.8
    assert estimate.coils is not None
    assert float(estimate.coils.abs().square().sum(dim=0).min()) == pytest.approx(1, abs=1e-3)


@pytest.mark.slow
def test_without_penalty_and_crop_it_is_sense_with_espirit_coils(measurement):
    settings = EspiritCgSettings(steps=4, weight=0.0, crop=0.0)
    method, plain = EspiritCg(measurement, settings), CgSense(measurement, CgSenseSettings(4, 1e-4, "espirit"))
    found, expected = (one.estimate(run(one)[0]).image for one in (method, plain))
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-3)


def test_a_narrow_centre_is_refused_in_one_sentence(acquisition):
    narrow = undersample(acquisition, make_mask("cartesian", acquisition.shape, 3, 0.04))
    with pytest.raises(InputError, match="too small to calibrate on"):
        reconstruct(narrow, "espirit-cg")
    with pytest.raises(InputError, match="crop"):
        replace(EspiritCgSettings(), crop=1.5)
