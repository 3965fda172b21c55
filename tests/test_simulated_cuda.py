"""What runs on a graphics card, on a simulated one: nothing is left on the host, and the host hardly ever waits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import napari_pogmdm as pg
from napari_pogmdm.physics.encoding.nufft import has_nufft
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.method import CLASSICAL
from napari_pogmdm.recon.noise_floor import _median_on_card, _median_on_host
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.state import load_state, save_state
from napari_pogmdm.runs.frames import make_frame
from napari_pogmdm.runs.roles import LIVE_ROLES
from napari_pogmdm.runs.run import Run
from simulated_cuda import SimulatedTensor, simulated_card

SHAPE = (48, 40)
MASK = pg.make_mask("cartesian", SHAPE, 3, 0.2)
PLAIN = {"choose": "none", "coil_start": "low-pass"}
RUNS = {
    "algorithm 1": ("paper", {}),
    "splitting": ("default", {}),
    "two map sets": ("default", {"map_sets": 2}),
    "injected noise": ("default", {"injected_noise": 0.5}),
    "known coils": ("default", {"update_coils": False}),
    "posterior": ("posterior", {"warm_start": False}),
}


@pytest.fixture
def card(monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device=None: (2**30, 2**30))
    with simulated_card() as made:
        yield made


def measured(device: str = "cpu") -> pg.Measurement:
    return pg.measure(pg.phantom_scan(SHAPE, coils=3)[0], MASK, device=device)


def test_the_simulated_card_refuses_what_a_card_refuses_and_counts_who_waits(card):
    there, here = torch.ones(3, device="cuda"), torch.ones(3)
    assert there.device.type == (2 * there).device.type == "cuda"
    assert isinstance(here.to("cuda"), SimulatedTensor)
    assert there.cpu().device.type == here.device.type == "cpu"
    for refused in (
        lambda: there + here,
        lambda: torch.stack((there, here)),
        lambda: there.numpy(),
        lambda: torch.randn(3, generator=torch.Generator(), device="cuda"),
    ):
        with pytest.raises((RuntimeError, TypeError)):
            refused()
    card.waits.clear()
    float(there.sum())
    bool(there.sum() > 1)
    there[there > 0.5]
    there.to("cpu")
    assert sum(card.waits.values()) == 4


@pytest.mark.slow
@pytest.mark.parametrize("model", ["flf-tc", "sh-1"])
@pytest.mark.parametrize("name", RUNS)
def test_every_algorithm_runs_there_alike_and_the_host_waits_once_an_iteration(card, name, model):
    chosen, values = RUNS[name]
    settings = replace(preset(chosen), **PLAIN | values)
    prior, found = load_prior(model), []
    for device in ("cpu", "cuda"):
        sampler = make_sampler(measured(device), prior, settings, (0, 1))
        state = sampler.step(sampler.start())
        card.waits.clear()
        for _ in range(3):
            state = sampler.step(state)
        assert state.image.device.type == state.coils.device.type == device
        found.append(state.image.cpu().numpy())
        if device == "cuda":
            assert sum(card.waits.values()) - 1 <= 3, card.waits  # the last line is one more
    np.testing.assert_allclose(found[1], found[0], atol=2e-3 * np.abs(found[0]).max())


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("start", [start for start in CoilStart if start != CoilStart.AUTO])
def test_every_coil_start_runs_there(start):
    settings = replace(preset("fast"), choose="none", coil_start=start)
    sampler = make_sampler(measured("cuda"), load_prior("flf-tc"), settings)
    state = sampler.start()
    assert state.coils.device.type == "cuda"
    assert torch.isfinite(torch.view_as_real(state.coils.cpu())).all()


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("method", [pg.Method.POGMDM, *CLASSICAL])
def test_every_method_runs_there_from_measurement_to_result(method):
    """With what the data choose, chains side by side, and a trajectory where that can be."""
    few = {"stop_after": 2, "chains": 3, "preset": "fast"} if method == pg.Method.POGMDM else {}
    few |= {} if method in (pg.Method.POGMDM, pg.Method.ZERO_FILLED) else {"steps": 2}
    here, there = (pg.reconstruct(measured(device), method, **few) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(there.image, here.image, atol=2e-3 * here.image.max())


@pytest.mark.usefixtures("card")
@pytest.mark.skipif(not has_nufft(), reason="needs finufft")
def test_trajectories_run_there():
    scan, trajectory = pg.phantom_scan(SHAPE, coils=3)[0], pg.make_trajectory("radial", SHAPE, 16)
    options = {"preset": "fast", "choose": "none", "stop_after": 2}
    here, there = (
        pg.reconstruct(pg.measure(scan, trajectory=trajectory, device=device), **options) for device in ("cpu", "cuda")
    )
    np.testing.assert_allclose(there.image, here.image, atol=2e-3 * here.image.max())


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("map_sets", [1, 2])
def test_frames_are_made_of_states_there(map_sets):
    settings = replace(preset("default"), **PLAIN, map_sets=map_sets)
    reference = pg.reference_image(pg.phantom_scan(SHAPE, coils=3)[0])
    run = Run(RunRequest(measured("cuda"), load_prior("flf-tc"), settings, reference=reference))
    run.step()
    frame = make_frame(run.context, run.state, LIVE_ROLES)
    assert len(frame.arrays) >= 6
    for array in frame.arrays.values():
        assert isinstance(array, np.ndarray)
        assert np.isfinite(array).all()


@pytest.mark.usefixtures("card")
def test_states_are_kept_and_go_on_there(tmp_path):
    settings = replace(preset("paper"), **PLAIN)
    sampler = make_sampler(measured("cuda"), load_prior("flf-tc"), settings)
    state = sampler.step(sampler.start())
    save_state(state, tmp_path / "state.safetensors")
    again = load_state(tmp_path / "state.safetensors", "cuda")
    torch.testing.assert_close(sampler.step(again).image.cpu(), sampler.step(state).image.cpu())


def test_a_run_that_cannot_fit_is_refused_before_it_begins(card, monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device=None: (2**17, 2**30))
    with pytest.raises(pg.InputError, match=r"needs about .* GB of memory on cuda, and 0\.0 GB are free"):
        pg.reconstruct(measured("cuda"), preset="fast")


@pytest.mark.parametrize("share", [0.3, 0.01, 1.0])
def test_the_median_that_nobody_waits_for_is_the_same(share):
    generator = torch.Generator().manual_seed(0)
    parts, pixels = torch.randn(3, 200, 2, generator=generator), torch.rand(200, generator=generator) < share
    pixels[0] = True
    assert _median_on_card(parts, pixels) == _median_on_host(parts, pixels)
