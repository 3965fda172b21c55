"""Records repeat their runs: from Python, from the terminal, from a script."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.mask_recipe import file_mask
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.chains import FinishedChains
from napari_pogmdm.recon.sampler.changes import Change
from napari_pogmdm.recon.sampler.moments import Moments
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.sample import record_of, result_of
from napari_pogmdm.runs.as_text import command_line, nearest_preset, python_code
from napari_pogmdm.runs.record_file import read_records
from napari_pogmdm.runs.repeat import repeat

SETTINGS = replace(preset("default"), iterations=3, update_coils=False)


def _sampled(scan: str, index: int = 1, **options) -> Reconstruction:
    acquisition = open_scan(scan)[index]
    mask = make_mask("cartesian", acquisition.shape, 2, 0.2, seed=7, axis="rows")
    measurement = undersample(acquisition, mask, coils=3, exclude_padding=True, noise_floor=False)
    return reconstruct(measurement, model=load_prior("flf-tc"), preset=SETTINGS, chains=2, seed=5, **options)


def _drawn(scan: str) -> Reconstruction:
    acquisition = open_scan(scan)[0]
    mask = make_mask("radial", acquisition.shape, 3)
    samples = mask.samples.copy()
    samples[3:5] = True
    measurement = undersample(acquisition, mask.edited(samples, "painted 2 rows"))
    changes = [Change(1, 1, "prior_weight", 2.0)]
    return reconstruct(measurement, model=load_prior("flf-tc"), preset=SETTINGS, chains=2, changes=changes)


def _stopped(scan: str) -> Reconstruction:
    """Leave the first chain after two of three iterations, as somebody at a window may do."""
    acquisition = open_scan(scan)[0]
    measurement = undersample(acquisition, make_mask("cartesian", acquisition.shape, 2, 0.2))
    prior = load_prior("flf-tc")
    sampler = make_sampler(measurement, prior, SETTINGS, (3,))
    state = sampler.step(sampler.step(sampler.start()))
    nothing = FinishedChains(Moments.empty(measurement.shape))
    ended = nothing.add(sampler.estimate(state), float(sampler.found_noise(state)[0]), state.coils[0])
    request = RunRequest(measurement, prior, SETTINGS, seed=3)
    return result_of(request, ended, record_of(request, ended, steps=state.iteration, stopped=True, seconds=1.0))


def _classical(scan: str) -> Reconstruction:
    acquisition = open_scan(scan)[0]
    measurement = undersample(acquisition, make_mask("fastmri-random", acquisition.shape, 2, 0.1, 1), prewhiten=True)
    return reconstruct(measurement, "tv", steps=4, weight=0.01)


def _own_mask(scan: str) -> Reconstruction:
    with h5py.File(scan, "a") as file:
        file.create_dataset("mask", data=np.arange(40) % 3 != 1)
    acquisition = open_scan(scan)[0]
    return reconstruct(undersample(acquisition, file_mask(acquisition)), "zero-filled")


RUNS = {"sampled": _sampled, "drawn": _drawn, "stopped": _stopped, "classical": _classical, "own mask": _own_mask}


@pytest.fixture(params=RUNS)
def done(request, fastmri_file) -> Reconstruction:
    """A finished run on a file whose name needs quoting."""
    return RUNS[request.param](str(fastmri_file("it's a scan; $HOME.h5")))


def test_a_record_repeats_its_run(done):
    record = RunRecord.from_json(done.record.to_json())
    again = repeat(record)
    np.testing.assert_array_equal(again.image, done.image)
    assert again.record.data_sha256 == record.data_sha256
    assert again.record.scan == record.scan
    assert again.record.mask == record.mask


def test_the_command_line_repeats_the_run(done, run, tmp_path: Path):
    saved = tmp_path / "my run.json"
    saved.write_text(done.record.to_json())
    command = shlex.split(command_line(done.record, saved, str(tmp_path / "again.h5")))
    assert command[0] == "napari-pogmdm"
    code, _, err = run(*command[1:])
    assert code == 0, err
    with h5py.File(tmp_path / "again.h5") as file:
        np.testing.assert_array_equal(file["reconstruction"][0], done.image)


def test_the_script_repeats_the_run(done, tmp_path: Path):
    saved = tmp_path / "my run.json"
    saved.write_text(done.record.to_json())
    script = python_code(done.record, saved)
    script += f"import numpy\nnumpy.save({str(tmp_path / 'again.npy')!r}, result.image)\n"
    script = f"import torch\ntorch.set_num_threads(1)\n{script}"
    subprocess.run([sys.executable, "-c", script], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "again.npy"), done.image)


def test_commands_name_presets_and_what_differs(fastmri_file):
    done = _sampled(str(fastmri_file()), index=0)
    command = command_line(done.record)
    assert "--preset default --chains 2 --seed 5 --set iterations=3 --set update_coils=false" in command
    assert "--mask cartesian --acceleration 2" in command
    assert "--exclude-padding --no-noise-floor" in command
    assert nearest_preset(preset("fast")) == ("fast", [])
    assert "iterations=3, update_coils=False" in python_code(done.record)


def test_the_terminal_repeats_from_a_result_file_and_takes_other_options_on_top(run, fastmri_file, tmp_path: Path):
    scan, first = fastmri_file(), tmp_path / "first.h5"
    options = ("--slice", "all", "--preset", "fast", "--set", "iterations=2", "--acceleration", 2, "--acl", 0.2)
    assert run("reconstruct", scan, *options, "--coils", 2, "--seed", 3, "-o", first)[0] == 0
    code, _, err = run("reconstruct", "--settings", first, "-o", tmp_path / "second.h5")
    assert code == 0, err
    code, _, err = run("reconstruct", "--settings", first, "--seed", 4, "--slice", 1, "-o", tmp_path / "third.h5")
    assert code == 0, err
    with h5py.File(first) as one, h5py.File(tmp_path / "second.h5") as two, h5py.File(tmp_path / "third.h5") as three:
        np.testing.assert_array_equal(one["reconstruction"][()], two["reconstruction"][()])
        np.testing.assert_array_equal(one["coils"][()], two["coils"][()])
        record = json.loads(three["record"][()])[0]
    assert record["sampler"]["seed"] == 4
    assert record["scan"] == {"scan": str(scan), "index": 1}
    assert record["settings"]["iterations"] == 2
    other = fastmri_file("other.h5")
    assert run("reconstruct", other, "--settings", first, "-o", tmp_path / "other-result.h5")[0] == 0
    assert [one.scan["scan"] for one in read_records(tmp_path / "other-result.h5")] == [str(other)] * 2


def test_the_bundled_scans_are_known_by_name():
    assert open_scan("demo")[0].origin is not None
    assert open_scan("demo")[0].origin.scan == "demo"
    assert open_scan("phantom")[0].origin.scan == "phantom"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scan": {}}, "name the scan"),
        ({"scan": {"scan": "absent.h5"}}, "no such file"),
        ({"scan": {"scan": "phantom", "index": -1}}, "whole number"),
        ({"scan": 5}, "not laid out"),
        ({"preparation": {"coils": "all"}}, "coils"),
        ({"preparation": {"gain": 2}}, "preparation"),
        ({"changes": [{"name": "x"}]}, "changes"),
        ({"changes": 7}, "not laid out"),
        ({"settings": {"volume": 11}}, "volume"),
        ({"sampler": {"chains": "many"}}, "chains"),
        ({"method": "tv", "settings": {"steps": -1}}, "steps"),
        ({"method": "tv", "settings": {"weight": "heavy"}}, "weight"),
    ],
)
def test_odd_records_end_with_one_sentence(run, fastmri_file, tmp_path: Path, change, words):
    record = json.loads(_sampled(str(fastmri_file()), index=0).record.to_json())
    (tmp_path / "run.json").write_text(json.dumps({**record, **change}))
    code, _, err = run("reconstruct", "--settings", tmp_path / "run.json", "-o", tmp_path / "out.h5")
    assert code == 2
    assert words in err.replace("\n", " ")
    with pytest.raises(InputError):
        repeat(read_records(tmp_path / "run.json")[0])


def test_set_names_what_it_cannot_read(run, fastmri_file, tmp_path: Path):
    for arguments, words in (
        (("--set", "volume=11"), "cannot read 'volume=11'"),
        (("--set", "iterations"), "cannot read 'iterations'"),
        (("--set", "iterations=2.5"), "a whole number"),
        (("--set", "update_coils=perhaps"), "true or false"),
        (("--set", "prior_weight=nan"), "a number"),
        (("--set", "steps=2", "--method", "zero-filled"), "has no settings"),
        (("--set", "prior_weight=-1"), "prior_weight"),
    ):
        code, _, err = run("reconstruct", fastmri_file(), *arguments, "-o", tmp_path / "out.h5")
        assert code == 2
        assert words in err.replace("\n", " ")
    code, _, err = run("reconstruct", "-o", tmp_path / "out.h5")
    assert code == 2
    assert "name a scan" in err
