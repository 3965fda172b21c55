"""Every method on samples along a trajectory, with the same code as on the grid."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.recon.coils.left_out import leave_out
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.data_term import DataTerm
from napari_pogmdm.recon.measure import measure
from napari_pogmdm.recon.measurement import Measurement, reference_image
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.noise_floor import outer_noise
from napari_pogmdm.recon.record import RunRecord


@pytest.fixture(scope="module")
def spokes(acquisition: Acquisition) -> Measurement:
    return measure(acquisition, trajectory=make_trajectory("golden-radial", acquisition.shape, 40), coils=0)


METHODS = {
    "cg-sense": {},
    "tv": {},
    "joint-tv": {"steps": 40},
    "pogmdm": {"preset": "fast"},
    "predictor-corrector": {"preset": "paper", "iterations": 12, "start_time": 0.1},
}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_beats_the_first_image(acquisition, spokes, method):
    reference = reference_image(acquisition)
    first = metrics(reference, reconstruct(spokes, "zero-filled").image).psnr
    options = METHODS[method]
    name = "pogmdm" if method == "predictor-corrector" else method
    found = reconstruct(spokes, name, **options)
    assert metrics(reference, found.image).psnr > first + (0 if method == "predictor-corrector" else 1)
    record = RunRecord.from_json(json.dumps(found.entry()))
    assert record.trajectory["kind"] == "golden-radial"
    assert record.mask == {}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cg-sense", "tv"])
def test_a_trajectory_on_the_grid_gives_the_image_of_the_mask(acquisition, method):
    rows, columns = acquisition.shape
    kept = np.zeros(acquisition.shape, dtype=bool)
    kept[:, ::2] = kept[:, columns // 2 - 8 : columns // 2 + 8] = True
    down, across = np.nonzero(kept)
    places = np.stack(((down - rows // 2) / rows, (across - columns // 2) / columns), axis=-1).astype(np.float32)
    masked = measure(acquisition, kept, coils=0)
    along = measure(acquisition, trajectory=Trajectory(places, acquisition.shape), coils=0)
    coils = starting_coils(masked, "low-pass")
    for first, second in zip(_images(masked, coils, method), _images(along, coils, method), strict=True):
        difference = torch.linalg.vector_norm(first * masked.scale - second * along.scale)
        assert float(difference) < 0.01 * float(torch.linalg.vector_norm(first * masked.scale))


def _images(measurement: Measurement, coils: torch.Tensor, method: str) -> list[torch.Tensor]:
    from napari_pogmdm.recon.classical.cg_sense import CgSense, CgSenseSettings
    from napari_pogmdm.recon.classical.tv import TotalVariation, TvSettings
    from napari_pogmdm.recon.stepper import run

    # The scales of both differ by little, and a penalty that is weak hardly tells them apart.
    stepper = (
        CgSense(measurement, CgSenseSettings(steps=60), coils)
        if method == "cg-sense"
        else TotalVariation(measurement, TvSettings(steps=200), coils)
    )
    return [stepper.estimate(run(stepper)[0]).image]


@pytest.mark.parametrize("start", ["low-pass", "newton", "newton-6", "calibrated", "calibrated-coil", "zero-filled"])
def test_coils_from_every_start_explain_the_full_coil_images(acquisition, spokes, start):
    from napari_pogmdm.recon.coils.null_space import full_coil_images, relative_residual

    images = full_coil_images(acquisition, spokes)
    limit = 0.7 if start == "zero-filled" else 0.25
    assert relative_residual(starting_coils(spokes, start), images) < limit


def test_the_noise_of_the_data_is_found(acquisition, spokes):
    """0.004 of the image's maximum went into every component; outermost samples hold some signal, too."""
    expected = 0.004 / spokes.scale
    assert expected * 0.7 < outer_noise(spokes) < expected * 8
    found = reconstruct(spokes, "pogmdm", preset="fast")
    sampler = found.record.settings
    assert sampler["data_noise"] == 0
    residual = DataTerm(spokes)
    assert residual.power == pytest.approx(float(spokes.kspace.abs().square().sum()), rel=1e-5)


def test_whole_readouts_are_left_out_of_one_coil_each(spokes):
    held = leave_out(spokes)
    out = held.left_out.numpy()
    assert out.shape == spokes.kspace.shape
    assert out.any(axis=0).sum() > 200
    assert out.sum(axis=0).max() == 1
    readouts = spokes.sampling.readouts
    for number in range(readouts.max() + 1):
        assert out[:, readouts == number].any(axis=1).sum() <= 1
    assert not out[:, spokes.sampling.radius < 0.1].any()
    assert torch.equal(
        held.encoding.forward(torch.ones(6, *spokes.shape, dtype=torch.complex64))[held.left_out].abs(),
        torch.zeros(int(out.sum())),
    )


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"preset": "posterior", "iterations": 6}, {"preset": "fast", "choose": "full"}])
def test_samples_of_the_posterior_and_the_full_choice_work_along_a_trajectory(small_scan, changes):
    spokes = measure(small_scan, trajectory=make_trajectory("golden-radial", small_scan.shape, 24), coils=0)
    reference = reference_image(small_scan)
    found = reconstruct(spokes, "pogmdm", chains=1, seed=1, **changes)
    assert np.isfinite(found.image).all()
    assert metrics(reference, found.image).psnr > metrics(reference, reconstruct(spokes, "zero-filled").image).psnr
    assert found.record.trajectory["kind"] == "golden-radial"
