from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import Measurement, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.ensemble import run_ensemble
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest

SETTINGS = replace(preset("default"), iterations=6, injected_noise=0.5)


@pytest.fixture(scope="module")
def prior():
    return load_prior("flf-tc")


@pytest.fixture(scope="module")
def measurement() -> Measurement:
    scan = simulate_scan(shepp_logan((40, 32)), coils=3, noise=0.01)
    return undersample(scan, make_mask("cartesian", (40, 32), 2, 0.25), noise_floor=True)


def test_several_chains_give_mean_variance_and_record(prior, measurement):
    told: list[tuple[int, int]] = []
    result = reconstruct(
        measurement, model=prior, preset=SETTINGS, chains=3, seed=7, progress=lambda *step: told.append(step)
    )
    assert told[-1] == (18, 18)
    assert result.variance is not None
    assert result.variance.max() > 0
    assert set(result.arrays()) == {"reconstruction", "complex_image", "coils", "mean", "variance"}
    assert result.record.sampler["chains"] == 3
    assert len(result.record.sampler["model_sha256"]) == 64
    again = reconstruct(measurement, model=prior, preset=SETTINGS, chains=3, seed=7)
    np.testing.assert_array_equal(again.image, result.image)
    other = reconstruct(measurement, model=prior, preset=SETTINGS, chains=3, seed=8)
    assert not np.array_equal(other.image, result.image)


def test_one_chain_has_no_variance(prior, measurement):
    assert reconstruct(measurement, model=prior, preset=SETTINGS).variance is None


def test_cancelling_keeps_the_chains_that_are_done(prior, measurement):
    told: list[int] = []
    result = reconstruct(
        measurement,
        model=prior,
        preset=SETTINGS,
        chains=5,
        progress=lambda done, _: told.append(done),
        cancelled=lambda: len(told) > 14,
    )
    assert result.record.stopped
    assert result.record.sampler["chains"] == 2
    with pytest.raises(InputError, match="before the first chain"):
        reconstruct(measurement, model=prior, preset=SETTINGS, cancelled=lambda: True)
    with pytest.raises(InputError, match="chains"):
        reconstruct(measurement, model=prior, preset=SETTINGS, chains=0)


@pytest.mark.slow
def test_a_killed_ensemble_goes_on_and_loses_at_most_the_chain_in_flight(prior, measurement, tmp_path: Path):
    whole = run_ensemble(RunRequest(measurement, prior, SETTINGS, 3), store=tmp_path / "whole.npz")[0].moments
    program = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
import torch
torch.set_num_threads(1)
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.ensemble import run_ensemble
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest
scan = simulate_scan(shepp_logan((40, 32)), coils=3, noise=0.01)
measurement = undersample(scan, make_mask("cartesian", (40, 32), 2, 0.25), noise_floor=True)
settings = replace(preset("default"), iterations=6, injected_noise=0.5)
def die(done, total):
    if done == 15:
        os.kill(os.getpid(), signal.SIGKILL)
run_ensemble(RunRequest(measurement, load_prior("flf-tc"), settings, 3), store=Path(sys.argv[1]), progress=die)
"""
    store = tmp_path / "killed.npz"
    killed = subprocess.run([sys.executable, "-c", program, str(store)], capture_output=True, check=False)
    assert killed.returncode == -9
    told: list[int] = []
    request = RunRequest(measurement, prior, SETTINGS, 3)
    resumed, _ = run_ensemble(request, store=store, progress=lambda done, _: told.append(done))
    assert told[0] == 13
    np.testing.assert_array_equal(resumed.moments.mean, whole.mean)


def test_stores_of_other_runs_and_broken_ones_are_refused(prior, measurement, tmp_path: Path):
    store = tmp_path / "store.npz"
    run_ensemble(RunRequest(measurement, prior, SETTINGS), store=store)
    with pytest.raises(InputError, match="belongs to another run"):
        run_ensemble(RunRequest(measurement, prior, SETTINGS, seed=3), store=store)
    store.write_bytes(b"broken")
    with pytest.raises(InputError, match="not a readable ensemble"):
        run_ensemble(RunRequest(measurement, prior, SETTINGS), store=store)


def _forged(**changes: object) -> dict[str, object]:
    return changes


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (_forged(count=-1), "does not hold chains of this run"),
        (_forged(count=0), "does not hold chains of this run"),
        (_forged(count=7), "holds 7 chains, but 2 are asked for"),
        (_forged(count=np.array([1, 2])), "does not hold chains of this run"),
        (_forged(mean=np.zeros((3, 3))), "does not hold chains of this run"),
        (_forged(mean=np.full((40, 32), np.nan)), "does not hold chains of this run"),
        (_forged(deviations=np.full((40, 32), -1.0)), "does not hold chains of this run"),
        (_forged(coils=np.zeros((9, 40, 32), np.complex64)), "does not hold chains of this run"),
        (_forged(image=np.zeros((40, 32), dtype="U3")), "does not hold chains of this run"),
        (_forged(noise=np.nan), "does not hold chains of this run"),
        (_forged(mean=None), "not a readable ensemble file"),
        (_forged(name="another"), "belongs to another run"),
    ],
)
def test_a_store_is_held_against_the_run_it_claims_to_continue(prior, measurement, tmp_path, changes, words):
    store = tmp_path / "chains.npz"
    request = RunRequest(measurement, prior, SETTINGS, 2, 0)
    run_ensemble(replace(request, chains=1), store=store)
    with np.load(store) as saved:
        content = {name: value for name, value in {**saved, **changes}.items() if value is not None}
    np.savez(store, **content)
    before = store.read_bytes()
    with pytest.raises(InputError, match=words):
        run_ensemble(request, store=store)
    assert store.read_bytes() == before
