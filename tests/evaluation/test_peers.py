"""Other people's programs, each at its best."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.evaluation import peers
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.recon.measure import measure
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics


def test_peers_are_walked_to_their_best_weight(small_scan):
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.25))
    reference = reference_image(small_scan)
    assert reference is not None
    tried = []

    def method(weight: float) -> np.ndarray:
        tried.append(weight)
        return reference * 7 + abs(np.log2(weight / 0.016)) * 0.1 * reference.max() * np.sin(
            np.arange(reference.size)
        ).reshape(reference.shape)

    best = peers._walk(method, measurement, reference)
    assert best.setting == pytest.approx(0.016)
    assert len(tried) <= 6
    assert best.metrics.psnr > 60


@pytest.mark.slow
def test_sigpy_peer_runs(small_scan):
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.25))
    reference = reference_image(small_scan)
    assert reference is not None
    result = peers.run_peer("sigpy-l1wavelet", measurement, reference)
    assert result.metrics.psnr > 15


@pytest.mark.slow
def test_sigpy_peer_runs_along_a_trajectory(small_scan):
    measurement = measure(small_scan, trajectory=make_trajectory("golden-radial", small_scan.shape, 40), coils=0)
    reference = reference_image(small_scan)
    assert reference is not None
    first = metrics(reference, reconstruct(measurement, "zero-filled").image).psnr
    one = peers._judge(peers._sigpy(measurement), 0.002, measurement, reference)  # a walk would try five weights
    assert one.metrics.psnr > first
