from __future__ import annotations

import pytest
import torch

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.classical.joint_tv import JointTotalVariation, JointTvSettings
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.stepper import run

SHAPE = (80, 72)


@pytest.mark.slow
def test_joint_tv_beats_zero_filling_by_far_on_the_bundled_scan():
    scan = open_scan("demo")[0]
    reference = reference_image(scan)
    assert reference is not None
    measurement = undersample(scan, make_mask("cartesian", scan.shape, 4, 0.08), coils=8)
    joint = metrics(reference, reconstruct(measurement, "joint-tv", steps=40).image).psnr
    assert joint > metrics(reference, reconstruct(measurement, "zero-filled").image).psnr + 5


def test_joint_coils_keep_unit_root_sum_of_squares(measurement):
    state, _ = run(JointTotalVariation(measurement, JointTvSettings(steps=5)))
    torch.testing.assert_close(root_sum_of_squares(state.coils), torch.ones(SHAPE))


def test_the_objective_goes_down(measurement, objectives):
    found = objectives(JointTotalVariation(measurement))
    assert found[-1] < found[10] < found[0]
