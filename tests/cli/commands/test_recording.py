"""Recording a run from the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.recording_reader import read_recording

QUICK = ("--acceleration", "2", "--acs", "0.2", "--device", "cpu", "--preset", "fast")


def test_a_run_is_recorded_at_the_chosen_steps(run, fastmri_file, tmp_path: Path):
    path = tmp_path / "run.pogmdm.h5"
    code, out, err = run("recording", fastmri_file(), *QUICK, "--every", 5, "--limit", 0.5, "-o", path)
    assert code == 0, err
    assert str(path) in out
    recording = read_recording(path)
    assert path.stat().st_size <= 500_000
    assert recording.trace[recording.moments, 1].tolist() == [0, 5, 10, 15, 20]
    assert recording.facts.settings == preset("fast").to_dict()
    assert recording.facts.record["scan"]["index"] == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("-o", "run.h5"), "should end in .pogmdm.h5"),
        (("-o", "run.pogmdm.h5", "--roles", "image,x"), "roles: unknown 'x'"),
        (("-o", "run.pogmdm.h5", "--every", "0"), "every: 0 is not a number from 1 on"),
        (("-o", "run.pogmdm.h5", "--limit", "0.001"), "limit: 1000 bytes"),
        (("-o", "run.pogmdm.h5", "--slice", "all"), "recording takes one slice"),
    ],
)
def test_bad_options_end_in_one_sentence(run, fastmri_file, tmp_path, monkeypatch, options, sentence):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("recording", fastmri_file(), *QUICK, *options)
    assert code == 2
    assert sentence in err
    assert not list(tmp_path.glob("*.pogmdm.h5"))


def test_no_chain_at_all_is_refused(misuse, tmp_path: Path):
    options = ("phantom", "-o", tmp_path / "run.pogmdm.h5", "--chains", "0")
    assert "Invalid value for '--chains'" in misuse("recording", *options)
    assert not list(tmp_path.iterdir())


def test_the_older_name_of_the_command_still_works_and_says_so(run, fastmri_file, tmp_path: Path):
    path = tmp_path / "run.pogmdm.h5"
    code, out, err = run("record", fastmri_file(), *QUICK, "--every", 10, "-o", path)
    assert code == 0, err
    assert str(path) in out
    assert "record is called recording now" in err
    assert read_recording(path).trace[-1, 1] == 20
