"""Slices into one result file: volumes, broken scans, interrupts, and ensembles that go on after being killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.recon.sampler import sample as sampling
from napari_pogmdm.runs.record_file import read_records

QUICK = ("--preset", "fast", "--set", "iterations=3", "--acceleration", "2", "--acs", "0.2", "--device", "cpu")
START = "import torch; torch.set_num_threads(1); from napari_pogmdm.cli.main import main; main()"


def test_volumes_have_coils_mean_variance_and_record_for_each_slice(run, fastmri_file, tmp_path: Path):
    options = ("--slice", "all", "--chains", 2, "--set", "injected_noise=0.5", "--resume", tmp_path / "kept.npz")
    code, out, err = run("reconstruct", fastmri_file(), *QUICK, *options, "-o", tmp_path / "volume.h5")
    assert code == 0, err
    assert out.count("PSNR") == 2
    with h5py.File(tmp_path / "volume.h5") as file:
        assert file["coils"].shape == (2, 4, 48, 40)
        assert file["variance"].shape == file["mean"].shape == (2, 24, 32)
        assert (file["variance"][()].max(axis=(1, 2)) > 0).all()
        assert [entry["slice"] for entry in json.loads(file["record"][()])] == [0, 1]
    assert (tmp_path / "kept-0.npz").exists()
    assert (tmp_path / "kept-1.npz").exists()


def test_a_broken_scan_leaves_no_half_written_result(run, fastmri_file, tmp_path: Path, small_scan):
    kspace = np.stack([small_scan.kspace, 0 * small_scan.kspace])
    code, _, err = run("reconstruct", fastmri_file(kspace=kspace), "--slice", "all", "--method", "zero-filled",
                       "-o", tmp_path / "out.h5")  # fmt: skip
    assert code == 2
    assert "slice 1: all of kspace is zero" in err.replace("\n", " ")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file1000000.h5"]


def test_an_interrupt_ends_quietly_and_writes_nothing(run, fastmri_file, tmp_path: Path, monkeypatch):
    def interrupted(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("napari_pogmdm.recon.methods.sample", interrupted)
    code, _, err = run("reconstruct", fastmri_file(), "-o", tmp_path / "out.h5")
    assert code == 130
    assert "Traceback" not in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["file1000000.h5"]


@pytest.mark.slow
def test_a_killed_command_goes_on_and_loses_at_most_the_chain_in_flight(run, fastmri_file, tmp_path: Path):
    scan, store = fastmri_file(), tmp_path / "chains.npz"
    options = ("reconstruct", scan, *QUICK, "--set", "injected_noise=0.5", "--set", "iterations=60", "--chains", 30)
    command = [sys.executable, "-c", START, *map(str, options), "--resume", str(store), "-o", str(tmp_path / "out.h5")]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not store.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "out.h5").exists()
    with np.load(store) as saved:
        done = int(saved["count"])
    assert 1 <= done < 30
    code, _, err = run(*options, "--resume", store, "-o", tmp_path / "out.h5")
    assert code == 0, err
    assert run(*options, "-o", tmp_path / "whole.h5")[0] == 0
    with h5py.File(tmp_path / "out.h5") as resumed, h5py.File(tmp_path / "whole.h5") as whole:
        for name in ("mean", "variance", "coils"):
            np.testing.assert_array_equal(resumed[name][()], whole[name][()])
    code, _, err = run(*options, "--seed", 1, "--resume", store, "-o", tmp_path / "out.h5")
    assert code == 2
    assert "belongs to another run" in err.replace("\n", " ")


def test_the_first_interrupt_keeps_finished_chains(run, fastmri_file, tmp_path: Path, monkeypatch):
    original = sampling.run_ensemble

    def interrupted(*arguments, progress, **options):
        def tell(done: int, total: int) -> None:
            progress(done, total)
            if done == 7:
                os.kill(os.getpid(), signal.SIGINT)

        return original(*arguments, progress=tell, **options)

    monkeypatch.setattr(sampling, "run_ensemble", interrupted)
    before = signal.getsignal(signal.SIGINT)
    code, _, err = run("reconstruct", fastmri_file(), *QUICK, "--chains", 5, "-o", tmp_path / "out.h5")
    assert code == 0, err
    assert "will be kept" in err.replace("\n", " ")
    record = read_records(tmp_path / "out.h5")[0]
    assert record.stopped
    assert record.sampler["chains"] == 2
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_before_the_first_chain_is_done_ends_quietly(run, fastmri_file, tmp_path: Path, monkeypatch):
    original = sampling.run_ensemble

    def interrupted(*arguments, **options):
        os.kill(os.getpid(), signal.SIGINT)
        return original(*arguments, **options)

    monkeypatch.setattr(sampling, "run_ensemble", interrupted)
    code, _, _ = run("reconstruct", fastmri_file(), *QUICK, "--chains", 5, "-o", tmp_path / "out.h5")
    assert code == 130
    assert not (tmp_path / "out.h5").exists()
