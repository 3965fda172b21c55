"""The training loop learns, repeats itself exactly, and survives being killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.prior.configuration import VARIANTS
from napari_pogmdm.prior.projections import mirrored
from napari_pogmdm.training.checkpoint import TrainingState, load_checkpoint
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.trainer import train
from napari_pogmdm.training.volumes.slices import load_slices
from training.quick_training import QUICK, SMALL, run, same


def test_training_improves_denoising_and_keeps_the_constraints(volumes_folder: Path, tmp_path: Path) -> None:
    settings = TrainingSettings.from_dict(QUICK.to_dict() | {"iterations": 120})
    state = run(volumes_folder, tmp_path / "out", SMALL, settings)
    assert state.history[-1].psnr[2] > state.history[0].psnr[2] + 0.5
    weights, filters = state.parameters["weights"], state.parameters["filters"]
    torch.testing.assert_close(mirrored(weights).sum(-1), torch.ones(6))
    assert (weights > 0).all()
    assert filters.mean((1, 2)).abs().max() < 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["flf-tc", "flf-softplus", "sh-1"])
def test_every_family_moves_all_its_parameters(volumes_folder: Path, tmp_path: Path, variant: str) -> None:
    settings = TrainingSettings.from_dict(QUICK.to_dict() | {"iterations": 2, "batch": 2, "patch": 64})
    state = run(volumes_folder, tmp_path / "out", VARIANTS[variant], settings)
    start = TrainingState.begin(VARIANTS[variant], settings)
    for name, values in state.parameters.items():
        assert not torch.equal(values, start.parameters[name]), name
        assert torch.isfinite(values).all(), name
    if variant == "sh-1":
        assert state.parameters["fan"].abs().sum().item() == pytest.approx(1.0, abs=1e-5)
        assert state.parameters["low_pass"].sum().item() == pytest.approx(1.0, abs=1e-5)


def test_same_seed_same_result_and_another_seed_another(volumes_folder: Path, tmp_path: Path) -> None:
    first = run(volumes_folder, tmp_path / "a", SMALL, QUICK)
    assert same(first, run(volumes_folder, tmp_path / "b", SMALL, QUICK))
    other = TrainingSettings.from_dict(QUICK.to_dict() | {"seed": 4})
    assert not same(first, run(volumes_folder, tmp_path / "c", SMALL, other))


def test_cancelling_writes_a_checkpoint_that_goes_on_exactly(volumes_folder: Path, tmp_path: Path) -> None:
    whole = run(volumes_folder, tmp_path / "whole", SMALL, QUICK)
    out = tmp_path / "parts"
    out.mkdir()
    state = TrainingState.begin(SMALL, QUICK)
    volumes = load_slices(volumes_folder)
    with pytest.raises(Cancelled, match="7"):
        train(state, volumes, out, lambda progress: None, cancelled=lambda: state.iteration == 7)
    resumed = load_checkpoint(out)
    assert resumed.iteration == 7
    train(resumed, volumes, out, lambda progress: None)
    assert same(whole, resumed)


KILLED = """
import sys, time
from pathlib import Path
import torch
torch.set_num_threads(1)
from napari_pogmdm.training.checkpoint import TrainingState
from napari_pogmdm.training.volumes.slices import load_slices
from napari_pogmdm.training.loop import Rhythm
from napari_pogmdm.training.trainer import train
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.prior.configuration import PriorConfiguration
state = TrainingState.begin(PriorConfiguration(filter_count=6), TrainingSettings.from_dict({settings}))
def slowly(progress):
    print(progress.iteration, flush=True)
    time.sleep(0.05)
train(state, load_slices(Path(sys.argv[1])), Path(sys.argv[2]), slowly, rhythm=Rhythm(6, 4))
"""


@pytest.mark.slow
def test_exact_resume_after_kill_minus_nine(volumes_folder: Path, tmp_path: Path) -> None:
    whole = run(volumes_folder, tmp_path / "whole", SMALL, QUICK)
    out = tmp_path / "killed"
    out.mkdir()
    script = KILLED.replace("{settings}", repr(QUICK.to_dict()))
    command = [sys.executable, "-c", script, str(volumes_folder), str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 6:
                os.kill(process.pid, signal.SIGKILL)
                break
        process.wait(30)
    assert process.returncode == -signal.SIGKILL
    resumed = load_checkpoint(out)
    assert 4 <= resumed.iteration < 12
    train(resumed, load_slices(volumes_folder), out, lambda progress: None)
    assert same(whole, resumed)


def test_time_goes_on_where_it_stopped(volumes_folder: Path, tmp_path: Path) -> None:
    state = run(volumes_folder, tmp_path / "out", SMALL, QUICK)
    spent = state.seconds
    state.settings = TrainingSettings.from_dict(QUICK.to_dict() | {"iterations": 14})
    started = time.monotonic()
    train(state, load_slices(volumes_folder), tmp_path / "out", lambda progress: None)
    assert spent < state.seconds <= spent + time.monotonic() - started
