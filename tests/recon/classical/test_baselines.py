"""Classical methods solve what they say, beat doing nothing, and can be stepped, watched and stopped."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan, simulated_coils
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.recon.classical.cg_sense import CgSense, CgSenseSettings
from napari_pogmdm.recon.classical.joint_tv import JointTotalVariation, JointTvSettings
from napari_pogmdm.recon.classical.proximal import backtracked_step
from napari_pogmdm.recon.classical.tv import TotalVariation
from napari_pogmdm.recon.classical.variation import differences, differences_adjoint, total_variation
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.methods import make_stepper, reconstruct
from napari_pogmdm.recon.metrics import compare
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.stepper import Estimate, run

CLASSICAL = tuple(method for method in Method if method != Method.POGMDM)


SHAPE = (80, 72)


@pytest.fixture(scope="module")
def acquisition() -> Acquisition:
    image = shepp_logan(SHAPE) * np.exp(1j * smooth_phase(SHAPE, np.random.default_rng(0)))
    return simulate_scan(image, coils=6, noise=0.004, seed=1)


@pytest.fixture(scope="module")
def measurement(acquisition: Acquisition) -> Measurement:
    return undersample(acquisition, make_mask("cartesian", SHAPE, 3, 0.16, seed=5))


def test_every_method_beats_zero_filling(acquisition, measurement):
    reference = reference_image(acquisition)
    assert reference is not None
    psnr = {method: compare(reference, reconstruct(measurement, method).image).psnr for method in CLASSICAL}
    assert psnr["cg-sense"] > psnr["zero-filled"] + 1
    assert psnr["tv"] > psnr["cg-sense"]
    assert psnr["joint-tv"] > psnr["zero-filled"] + 2


def test_joint_tv_beats_zero_filling_by_far_on_the_bundled_scan():
    scan = open_scan("demo")[0]
    reference = reference_image(scan)
    assert reference is not None
    measurement = undersample(scan, make_mask("cartesian", scan.shape, 4, 0.08), coils=8)
    joint = compare(reference, reconstruct(measurement, "joint-tv", steps=40).image).psnr
    assert joint > compare(reference, reconstruct(measurement, "zero-filled").image).psnr + 5


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


def test_stepping_by_hand_equals_a_run(measurement):
    stepper = make_stepper(measurement, "joint-tv", JointTvSettings(steps=4))
    state = stepper.start()
    for _ in range(4):
        state = stepper.step(state)
    ran, steps = run(make_stepper(measurement, "joint-tv", JointTvSettings(steps=4)))
    assert steps == 4
    assert torch.equal(stepper.estimate(state).image, stepper.estimate(ran).image)


def test_a_step_leaves_the_state_before_it_alone(measurement):
    for method in CLASSICAL:
        stepper = make_stepper(measurement, method)
        first = stepper.step(stepper.start())
        before = stepper.estimate(first).image.clone()
        stepper.step(first)
        assert torch.equal(stepper.estimate(first).image, before)


def test_the_record_says_how_to_repeat_it_and_survives_json(measurement):
    record = reconstruct(measurement, "cg-sense", steps=2, weight=0.5).record
    assert record.settings == {"steps": 2, "weight": 0.5, "coil_start": "low-pass"}
    assert record.mask["seed"] == 5
    assert record.versions["torch"]
    assert RunRecord.from_json(record.to_json()) == record
    again = reconstruct(measurement, "cg-sense", steps=2, weight=0.5).record
    assert again.data_sha256 == record.data_sha256
    assert json.loads(record.to_json())["coils"]["used"] == 6


def test_unknown_methods_are_named(measurement):
    with pytest.raises(InputError, match=r"unknown 'magic'; choose from pogmdm, zero-filled"):
        reconstruct(measurement, "magic")


def test_cg_sense_solves_its_normal_equations():
    shape, weight = (10, 9), 0.05
    scan = simulate_scan(shepp_logan(shape), coils=3, noise=0.01)
    measurement = undersample(scan, make_mask("gaussian", shape, 2.5, seed=1))
    coils = torch.from_numpy(simulated_coils(3, shape))
    method = CgSense(measurement, CgSenseSettings(steps=60, weight=weight), coils)
    state, _ = run(method)
    sense = Sense(measurement.mask_tensor)
    basis = torch.eye(90, dtype=torch.complex64).reshape(90, *shape)
    normal = torch.stack([sense.normal(image, coils).flatten() for image in basis], dim=1)
    target = sense.adjoint(measurement.kspace, coils).flatten()
    exact = torch.linalg.solve(normal + weight * torch.eye(90), target).reshape(shape)
    assert float((method.estimate(state).image - exact).abs().max() / exact.abs().max()) < 1e-4


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


def test_backtracking_finds_a_step_that_the_curvature_allows():
    curvature = 40.0

    def smooth(point: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return curvature / 2 * (point**2).sum(), curvature * point

    new, lipschitz = backtracked_step(smooth, lambda point, _: point, torch.ones(3), 1.0)
    assert float(smooth(new)[0]) < float(smooth(torch.ones(3))[0])
    assert curvature / 2 <= lipschitz * 1.5 <= 2 * curvature


@pytest.mark.parametrize("method", [TotalVariation, JointTotalVariation])
def test_the_objective_goes_down(method, measurement):
    stepper = method(measurement)
    state, images = stepper.start(), []
    sense = Sense(measurement.mask_tensor)

    def objective(estimate: Estimate) -> float:
        assert estimate.coils is not None
        misfit = sense.forward(estimate.image, estimate.coils) - measurement.kspace
        variation = total_variation(estimate.image, stepper.settings.epsilon)[0]
        return float(0.5 * torch.linalg.vector_norm(misfit) ** 2 + stepper.settings.weight * variation)

    for _ in range(30):
        images.append(objective(stepper.estimate(state)))
        state = stepper.step(state)
    assert images[-1] < images[10] < images[0]


def test_joint_coils_keep_unit_root_sum_of_squares(measurement):
    state, _ = run(JointTotalVariation(measurement, JointTvSettings(steps=5)))
    torch.testing.assert_close(root_sum_of_squares(state.coils), torch.ones(SHAPE))


def test_single_coil_real_images_keep_their_sign():
    image = shepp_logan(SHAPE)
    scan = simulate_scan(image, coils=1, noise=0.02)
    measurement = undersample(scan, make_mask("radial", SHAPE, 3))
    result = reconstruct(measurement, "tv", weight=0.02, real=True)
    zero_filled = reconstruct(measurement, "zero-filled")
    assert result.image.min() >= 0
    assert compare(image, result.image, data_range=1).psnr > compare(image, zero_filled.image, data_range=1).psnr + 3


def test_a_real_image_needs_one_coil(measurement):
    with pytest.raises(InputError, match="needs single-coil data"):
        reconstruct(measurement, "tv", real=True)


def test_images_get_the_noise_floor_of_measured_references(acquisition):
    mask = make_mask("cartesian", SHAPE, 3, 0.16, seed=5)
    noisy = root_sum_of_squares(to_image(torch.from_numpy(acquisition.kspace))).numpy()
    plain, floored = (
        reconstruct(undersample(acquisition, mask, noise_floor=wish), "tv").image for wish in (False, True)
    )
    corner = np.s_[:12, :12]
    assert plain[corner].mean() < 0.5 * noisy[corner].mean()
    assert floored[corner].mean() == pytest.approx(float(noisy[corner].mean()), rel=0.25)
    assert compare(noisy, floored).psnr > compare(noisy, plain).psnr


@pytest.mark.parametrize("method", CLASSICAL)
@pytest.mark.parametrize("kind", ["gaussian", "radial"])
def test_one_coil_and_masks_without_a_centre_still_work(method, kind):
    scan = simulate_scan(shepp_logan((33, 40)), coils=1, noise=0.01)
    measurement = undersample(scan, make_mask(kind, (33, 40), 4, seed=2))
    result = reconstruct(measurement, method)
    assert np.isfinite(result.image).all()
    assert result.image.shape == (33, 40)
