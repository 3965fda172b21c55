"""What is run: options, settings files, records, and options on top of a record."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.cli.options.reconstruction import ReconstructionRequest
from napari_pogmdm.cli.run_plan import plan_runs
from napari_pogmdm.data.simulate import phantom_scan
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.record_file import read_records
from runs.odd_records import ODD_RECORDS

QUICK = ("--acceleration", "2", "--acs", "0.2", "--device", "cpu")


def test_a_sampled_result_has_mean_variance_coils_and_a_record_that_repeats_it(run, fastmri_file, tmp_path: Path):
    scan, first, second = fastmri_file(), tmp_path / "first.h5", tmp_path / "second.h5"
    code, out, err = run("reconstruct", scan, "--preset", "fast", "--chains", 2, "--seed", 3, *QUICK, "-o", first)
    assert code == 0, err
    assert "pogmdm PSNR" in out
    with h5py.File(first) as file:
        assert file["variance"].shape == file["mean"].shape == file["reconstruction"].shape == (1, 24, 32)
        assert file["coils"].shape == (1, 4, 48, 40)
        record = json.loads(file["record"][()])
    assert record[0]["sampler"]["model"] == DEFAULT_MODEL
    assert record[0]["settings"]["algorithm"] == "splitting"
    (tmp_path / "run.json").write_text(json.dumps(record))
    code, _, err = run("reconstruct", scan, "--settings", tmp_path / "run.json", *QUICK, "-o", second)
    assert code == 0, err
    with h5py.File(first) as one, h5py.File(second) as other:
        np.testing.assert_array_equal(one["reconstruction"][()], other["reconstruction"][()])


@pytest.mark.parametrize(
    ("given", "recorded", "checkpoint"),
    [
        ({}, None, ""),
        ({"model": DEFAULT_MODEL.value}, None, DEFAULT_MODEL.value),
        ({}, ("score-mri", "mine.safetensors"), "mine.safetensors"),
        ({"model": "flf"}, ("score-mri", "mine.safetensors"), "flf"),
        ({"method": Method.SCORE_MRI}, ("pogmdm", "sh-1"), ""),
    ],
)
def test_a_rival_takes_the_checkpoint_of_the_command_line_or_of_its_own_record(given, recorded, checkpoint):
    request = replace(ReconstructionRequest(method=Method.SCORE_MRI), **given)
    records = []
    if recorded is not None:
        method, model = recorded
        records = [RunRecord(method, {}, "phantom", "", {}, {}, "cpu", 1, False, 1.0, sampler={"model": model})]
    [planned] = plan_runs(request, frozenset(given), phantom_scan((16, 16), coils=2), records, None)
    assert planned.request.model == checkpoint


def test_bare_settings_are_taken_too(run, fastmri_file, tmp_path: Path):
    settings = tmp_path / "mine.json"
    settings.write_text(replace(preset("fast"), iterations=2).to_json())
    code, _, err = run("reconstruct", fastmri_file(), "--settings", settings, *QUICK, "-o", tmp_path / "out.h5")
    assert code == 0, err
    with h5py.File(tmp_path / "out.h5") as file:
        assert json.loads(file["record"][()])[0]["settings"]["iterations"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--model", "absent"), "absent"),
        (("--chains", "0"), "chains"),
        (("--settings", "absent.json"), "no such file"),
        (("--seed", "99999999999999999999999"), "seed"),
        (("--settings", "{folder}/odd.json"), "not laid out like the record"),
        (("--settings", "{folder}/bool.json"), "is not true or false"),
        (("--settings", "{folder}/deep.json"), "not a readable JSON"),
        (("--settings", "{folder}/fine.json", "--method", "tv"), "are those of pogmdm"),
    ],
)
def test_bad_sampler_options_end_with_one_sentence(run, fastmri_file, tmp_path: Path, arguments, words):
    (tmp_path / "fine.json").write_text('{"iterations": 2}')
    for name, text in (("odd", '{"settings": 5}'), ("bool", '{"renormalise": "no"}'), ("deep", "[" * 100_000)):
        (tmp_path / f"{name}.json").write_text(text)
    arguments = [part.format(folder=tmp_path) for part in arguments]
    code, _, err = run("reconstruct", fastmri_file(), *arguments, *QUICK, "-o", tmp_path / "out.h5")
    assert code == 2
    assert words in err.replace("\n", " ")
    assert not (tmp_path / "out.h5").exists()


@pytest.mark.slow
def test_the_terminal_repeats_from_a_result_file_and_takes_other_options_on_top(run, fastmri_file, tmp_path: Path):
    scan, first = fastmri_file(), tmp_path / "first.h5"
    options = ("--slice", "all", "--preset", "fast", "--set", "iterations=2", "--acceleration", 2, "--acs", 0.2)
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


@pytest.mark.slow
@pytest.mark.parametrize(("change", "words"), ODD_RECORDS)
def test_odd_records_end_with_one_sentence(run, fastmri_file, tmp_path: Path, change, words):
    assert run("reconstruct", fastmri_file(), "--preset", "fast", *QUICK, "-o", tmp_path / "first.h5")[0] == 0
    with h5py.File(tmp_path / "first.h5") as file:
        record = json.loads(file["record"][()])[0]
    (tmp_path / "run.json").write_text(json.dumps({**record, **change}))
    code, _, err = run("reconstruct", "--settings", tmp_path / "run.json", "-o", tmp_path / "out.h5")
    assert code == 2
    assert words in err.replace("\n", " ")


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
