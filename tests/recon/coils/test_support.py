from __future__ import annotations

import pytest
import torch

from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.coils.support import calibrate, calibrate_or_low_pass, can_calibrate
from napari_pogmdm.recon.measurement import reference_image, undersample


def test_the_support_holds_the_object_and_not_the_corners(acquisition, measurement):
    pytest.importorskip("sigpy")
    found = calibrate(measurement, 0.9)
    bright = torch.from_numpy(reference_image(acquisition) > 0.15)
    assert float(found.support[bright].float().mean()) > 0.97
    assert not found.support[:4, :4].all()
    assert torch.equal(found.used == 0, (found.coils == 0) | ~found.support)


def test_without_a_centre_coils_are_low_pass_and_everywhere(acquisition):
    scattered = undersample(acquisition, make_mask("gaussian", acquisition.shape, 6, seed=2))
    assert not can_calibrate(scattered)
    found = calibrate_or_low_pass(scattered, 0.9)
    assert bool(found.support.all())
    assert torch.equal(found.coils, starting_coils(scattered, "low-pass"))
