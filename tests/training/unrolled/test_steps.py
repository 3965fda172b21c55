"""A training through whole reconstructions sees what the sampler does, and its gradients are the true ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan, simulated_coils
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.sense import Sense, combine
from napari_pogmdm.prior.weights import load_experts
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.algorithms.denoising import denoise_in_steps
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import Choosing
from napari_pogmdm.recon.stepper import run
from napari_pogmdm.training.unrolled.scans import SimulatedScan
from napari_pogmdm.training.unrolled.steps import LEVELS, by_experts, denoise, denoising_levels, reconstruct
from napari_pogmdm.training.unrolled.tables import LevelGradient, Tables

SHAPE = (40, 36)


def tables_at(sigmas: tuple[float, ...]) -> Tables:
    prior = load_experts("flf-tc", "Training")
    leaves = {key: values.float().requires_grad_() for key, values in prior.parameters.items()}
    return Tables(prior.configuration, leaves, sigmas)


def gradients_of(tables: Tables) -> list[LevelGradient]:
    return [LevelGradient(level) for level in tables.levels]


@pytest.mark.parametrize("kind", ["cartesian", "gaussian"])
def test_a_reconstruction_is_that_of_the_preset_with_known_coils(kind: str) -> None:
    acquisition = simulate_scan(shepp_logan(SHAPE), coils=4, noise=0.01, seed=1)
    mask = make_mask(kind, SHAPE, 3, 0.2, seed=2)
    measurement = undersample(acquisition, mask)
    coils = torch.from_numpy(simulated_coils(4, SHAPE))
    known = replace(
        preset("fast"), update_coils=False, map_sets=1, choose=Choosing.NONE, data_noise=0.01, renormalise=False
    )
    sampler = make_sampler(measurement, load_experts("flf-tc", "Training"), known, coils=coils)
    state, _ = run(sampler)
    combined = combine(measurement.first_images, coils)
    sense = sampler._sense
    scan = SimulatedScan(torch.zeros(SHAPE, dtype=torch.complex64), coils, combined, 0.01, sense, 0)
    tables = tables_at(LEVELS)
    found = reconstruct(scan, by_experts(tables.levels, gradients_of(tables)))
    torch.testing.assert_close(found, state.image[0], rtol=0, atol=2e-3)  # tables of training have half the nodes
    assert (found - combined).abs().max() > 0.1


def test_denoising_is_that_of_the_terminal() -> None:
    noise = 0.1 * np.random.default_rng(0).standard_normal(SHAPE, np.float32)
    noisy = torch.from_numpy(shepp_logan(SHAPE) + noise)
    tables = tables_at(denoising_levels(0.1))
    found = denoise(noisy[None], 0.1, by_experts(tables.levels, gradients_of(tables)))[0]
    torch.testing.assert_close(found, denoise_in_steps(load_experts("flf-tc", "x"), noisy, 0.1), rtol=0, atol=2e-3)


@pytest.mark.parametrize("count", [1, 4])
def test_gradients_of_a_reconstruction_are_the_slopes_of_its_error(count: int) -> None:
    """Of every kind of parameter, along the gradient itself, where the slope is the largest."""
    truth = torch.from_numpy(shepp_logan(SHAPE)).to(torch.complex64)
    measurement = undersample(
        simulate_scan(shepp_logan(SHAPE), coils=4, noise=0.01, seed=1), make_mask("cartesian", SHAPE, 3, 0.2, seed=2)
    )
    coils = torch.from_numpy(simulated_coils(4, SHAPE))
    prior = load_experts("flf-tc", "Training")
    scan = SimulatedScan(
        truth, coils, combine(measurement.first_images, coils), 0.01, Sense(measurement.measured), edge=0
    )
    start = {name: values.float() for name, values in prior.parameters.items()}

    def misfit(parameters: dict[str, torch.Tensor]) -> tuple[float, dict[str, torch.Tensor]]:
        leaves = {name: values.detach().requires_grad_() for name, values in parameters.items()}
        tables = Tables(prior.configuration, leaves, LEVELS[:count])
        gradients = gradients_of(tables)
        error = (reconstruct(scan, by_experts(tables.levels, gradients)) - truth).abs().double().square().sum()
        error.backward()
        return float(error.detach()), tables.pull_back(list(enumerate(gradients)))

    _, gradient = misfit(start)
    for name in ("filters", "weights", "time.2.weight"):
        along = gradient[name] / gradient[name].norm()
        step = 1e-3 * float(start[name].norm())
        ends = [misfit(start | {name: start[name] + sign * step * along})[0] for sign in (1, -1)]
        assert float(gradient[name].norm()) == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=0.05), name
