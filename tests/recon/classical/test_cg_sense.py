from __future__ import annotations

import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan, simulated_coils
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.recon.classical.cg_sense import CgSense, CgSenseSettings
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.stepper import run


def test_cg_sense_solves_its_normal_equations():
    shape, weight = (10, 9), 0.05
    scan = simulate_scan(shepp_logan(shape), coils=3, noise=0.01)
    measurement = undersample(scan, make_mask("gaussian", shape, 2.5, seed=1))
    coils = torch.from_numpy(simulated_coils(3, shape))
    method = CgSense(measurement, CgSenseSettings(steps=60, weight=weight), coils)
    state, _ = run(method)
    sense = Sense(measurement.measured)
    basis = torch.eye(90, dtype=torch.complex64).reshape(90, *shape)
    normal = torch.stack([sense.normal(image, coils).flatten() for image in basis], dim=1)
    target = sense.adjoint(measurement.kspace, coils).flatten()
    exact = torch.linalg.solve(normal + weight * torch.eye(90), target).reshape(shape)
    assert float((method.estimate(state).image - exact).abs().max() / exact.abs().max()) < 1e-4


def test_a_converged_state_stays_as_it_is():
    scan = simulate_scan(shepp_logan((10, 9)), coils=3, noise=0.01)
    measurement = undersample(scan, make_mask("gaussian", (10, 9), 2.5, seed=1))
    method = CgSense(measurement, CgSenseSettings(steps=200, weight=1.0))
    state, _ = run(method)
    assert method.step(state) is state
