from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.method import CLASSICAL, Method
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics


@pytest.mark.slow
def test_every_method_beats_zero_filling(acquisition, measurement):
    reference = reference_image(acquisition)
    assert reference is not None
    psnr = {method: metrics(reference, reconstruct(measurement, method).image).psnr for method in CLASSICAL}
    assert psnr["cg-sense"] > psnr["zero-filled"] + 1
    assert psnr["tv"] > psnr["cg-sense"]
    assert psnr["joint-tv"] > psnr["zero-filled"] + 2


def test_progress_is_told_and_cancelling_keeps_what_there_is(measurement):
    told: list[tuple[int, int]] = []
    result = reconstruct(
        measurement, "tv", progress=lambda done, total: told.append((done, total)), cancelled=lambda: len(told) == 3
    )
    assert told == [(1, 100), (2, 100), (3, 100)]
    assert result.record.stopped
    assert result.record.steps == 3
    assert np.isfinite(result.image).all()
    assert result.image.max() > 0


def test_unknown_methods_are_named(measurement):
    with pytest.raises(InputError, match=r"unknown 'magic'; choose from pogmdm, zero-filled"):
        reconstruct(measurement, "magic")


@pytest.mark.parametrize("method", CLASSICAL)
@pytest.mark.parametrize("kind", ["gaussian", "radial"])
def test_one_coil_and_masks_without_a_centre_still_work(method, kind):
    scan = simulate_scan(shepp_logan((33, 40)), coils=1, noise=0.01)
    measurement = undersample(scan, make_mask(kind, (33, 40), 4, seed=2))
    if method == Method.ESPIRIT_CG:
        with pytest.raises(InputError, match="espirit: a single coil has no map to calibrate"):
            reconstruct(measurement, method)
        return
    result = reconstruct(measurement, method)
    assert np.isfinite(result.image).all()
    assert result.image.shape == (33, 40)
