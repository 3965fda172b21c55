from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.recon.measure import measure
from napari_pogmdm.recon.measurement import reference_image
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.stepper import run


@pytest.mark.slow
def test_more_iterations_do_not_wear_out_the_coils(prior, head):
    scan, measurement = head
    reference = reference_image(scan)
    assert reference is not None
    psnr = [
        metrics(
            reference, reconstruct(measurement, model=prior, preset=replace(preset("default"), iterations=count)).image
        ).psnr
        for count in (20, 80)
    ]
    assert psnr[1] > psnr[0] - 0.5


@pytest.mark.slow
def test_noise_is_learnt_from_the_residual(prior, head):
    _, measurement = head
    state, _ = run(make_sampler(measurement, prior, preset("default")))
    assert float(state.data_noise[0]) * measurement.scale == pytest.approx(0.01, rel=0.2)
    fixed = make_sampler(measurement, prior, replace(preset("default"), data_noise=0.05, iterations=3))
    assert float(fixed.step(fixed.start()).data_noise[0]) == pytest.approx(0.05)


def test_estimates_are_taken_of_turned_images(prior, small):
    settings = replace(preset("default"), injected_noise=0.0, momentum=0.0, iterations=20)
    sampler = make_sampler(small, prior, settings)
    state = replace(sampler.step(sampler.start()), iteration=4)
    level = sampler.levels[4]
    mirrored = prior.denoise(state.image.flip(-1), level).flip(-1)
    torch.testing.assert_close(sampler.substep(state).image, mirrored)
    straight = make_sampler(small, prior, replace(settings, turn_images=False))
    torch.testing.assert_close(straight.substep(state).image, prior.denoise(state.image, level))
    assert not torch.allclose(mirrored, prior.denoise(state.image, level), atol=1e-4), "the filters are symmetric"


def test_renormalising_keeps_coils_at_unit_sum_and_the_product_unchanged(prior, head):
    _, measurement = head
    settings = replace(preset("default"), iterations=5)
    state = make_sampler(measurement, prior, settings).step(make_sampler(measurement, prior, settings).start())
    torch.testing.assert_close(root_sum_of_squares(state.coils), torch.ones(1, 96, 80), rtol=1e-4, atol=1e-4)
    plain = replace(settings, renormalise=False)
    other = make_sampler(measurement, prior, plain).step(make_sampler(measurement, prior, plain).start())
    torch.testing.assert_close(
        state.image[:, None] * state.coils, other.image[:, None] * other.coils, rtol=1e-3, atol=1e-4
    )


def test_espirit_maps_may_be_kept(prior, head):
    pytest.importorskip("sigpy")
    _, measurement = head
    settings = replace(preset("fast"), coil_start="espirit", update_coils=False)
    sampler = make_sampler(measurement, prior, settings)
    state, _ = run(sampler)
    assert sampler.plan == ("denoise", "data")
    assert torch.equal(state.coils[0], sampler.start().coils[0])
    assert sampler.misfit(state) < 0.1


def test_few_spokes_do_not_make_the_first_image_grow_without_end(prior):
    """With the weight of a grid's first image, this run leaves all bounds."""
    size = (96, 96)
    clean = shepp_logan(size) * np.exp(1j * smooth_phase(size, np.random.default_rng(1)))
    scan = simulate_scan(clean, coils=6, noise=0.006, seed=1)
    measurement = measure(scan, trajectory=make_trajectory("golden-radial", size, 8))
    image = reconstruct(measurement, model=prior, preset="fast", choose="none", map_sets=1).image
    assert metrics(reference_image(scan), image).psnr > 23
