"""Known coils, ensembles that survive being killed or interrupted, and volumes, from the terminal."""

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

from napari_pogmdm.data.simulate import simulated_coils
from napari_pogmdm.recon.sampler import sample as sampling
from napari_pogmdm.runs.as_text import command_line, python_code
from napari_pogmdm.runs.record_file import read_records
from napari_pogmdm.runs.repeat import repeat

QUICK = ("--preset", "fast", "--set", "iterations=3", "--acceleration", "2", "--acl", "0.2", "--device", "cpu")
START = "import torch; torch.set_num_threads(1); from napari_pogmdm.cli.main import main; main()"


def test_given_coils_are_kept_and_recorded(run, fastmri_file, tmp_path: Path):
    scan, maps = fastmri_file(), tmp_path / "maps.npy"
    np.save(maps, 3 * simulated_coils(4, (48, 40)))
    code, _, err = run("reconstruct", scan, *QUICK, "--coil-maps", maps, "-o", tmp_path / "known.h5")
    assert code == 0, err
    with h5py.File(tmp_path / "known.h5") as file:
        np.testing.assert_allclose(file["coils"][0], simulated_coils(4, (48, 40)), atol=1e-6)
        image = file["reconstruction"][0]
    record = read_records(tmp_path / "known.h5")[0]
    assert record.sampler["coil_start"] == "given"
    assert not record.settings["update_coils"]
    np.testing.assert_array_equal(repeat(record).image, image)
    assert f"--coil-maps {maps}" in command_line(record)
    exec(compile(python_code(record), "script", "exec"), scope := {})
    np.testing.assert_array_equal(scope["result"].image, image)
    options = ("--coil-maps", maps, "--set", "update_coils=true")
    assert run("reconstruct", scan, *QUICK, *options, "-o", tmp_path / "joint.h5")[0] == 0
    with h5py.File(tmp_path / "joint.h5") as file:
        assert np.abs(file["coils"][0] - simulated_coils(4, (48, 40))).max() > 1e-4
    np.save(maps, simulated_coils(4, (48, 40))[::-1])
    code, _, err = run("reconstruct", "--settings", tmp_path / "known.h5", "-o", tmp_path / "again.h5")
    assert code == 2
    assert "no longer holds the coil maps" in err.replace("\n", " ")


def test_bad_coil_maps_are_named(run, fastmri_file, tmp_path: Path):
    scan, maps = fastmri_file(), tmp_path / "maps.npy"
    for array, words in (
        (np.ones((4, 48, 41), np.complex64), "need --coils 0"),
        (np.ones((48, 40), np.complex64), "expected complex maps"),
        (np.full((4, 48, 40), np.nan, np.complex64), "not finite"),
        (np.zeros((4, 48, 40), np.complex64), "all zero"),
    ):
        np.save(maps, array)
        code, _, err = run("reconstruct", scan, *QUICK, "--coil-maps", maps, "-o", tmp_path / "out.h5")
        assert code == 2
        assert words in err.replace("\n", " ")
    maps.write_bytes(b"not maps")
    code, _, err = run("reconstruct", scan, *QUICK, "--coil-maps", maps, "-o", tmp_path / "out.h5")
    assert code == 2
    assert "not a readable NumPy file" in err.replace("\n", " ")


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


@pytest.mark.parametrize("accelerations", ["2,three", "1"])
def test_uncertainty_names_what_it_cannot_use(run, fastmri_file, tmp_path: Path, accelerations):
    code, _, err = run("uncertainty", fastmri_file(), "--accelerations", accelerations, "--png", tmp_path / "u.png")
    assert code == 2
    assert "acceleration" in err


def test_uncertainty_draws_and_says_how_chains_spread(run, fastmri_file, tmp_path: Path):
    code, out, err = run(
        "uncertainty", fastmri_file(), "--accelerations", "2,4", "--acl", 0.1, "--chains", 3, "--png",
        tmp_path / "u.png",
    )  # fmt: skip
    assert code == 0, err
    inside = [float(line.split("object ")[1].split(" %")[0]) for line in out.splitlines() if "object" in line]
    assert len(inside) == 2
    assert inside[1] > inside[0] > 0
    assert (tmp_path / "u.png").stat().st_size > 10_000
    code, _, err = run("uncertainty", fastmri_file(), "--method", "tv", "--png", tmp_path / "u.png")
    assert code == 2
    assert "has no chains" in err
