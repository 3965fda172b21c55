from __future__ import annotations

import pytest

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.classical.tv import TotalVariation
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics

SHAPE = (80, 72)


def test_the_objective_goes_down(measurement, objectives):
    found = objectives(TotalVariation(measurement))
    assert found[-1] < found[10] < found[0]


def test_single_coil_real_images_keep_their_sign():
    image = shepp_logan(SHAPE)
    scan = simulate_scan(image, coils=1, noise=0.02)
    measurement = undersample(scan, make_mask("radial", SHAPE, 3))
    result = reconstruct(measurement, "tv", weight=0.02, real=True)
    zero_filled = reconstruct(measurement, "zero-filled")
    assert result.image.min() >= 0
    assert metrics(image, result.image, data_range=1).psnr > metrics(image, zero_filled.image, data_range=1).psnr + 3


def test_a_real_image_needs_one_coil(measurement):
    with pytest.raises(InputError, match="needs single-coil data"):
        reconstruct(measurement, "tv", real=True)
