"""Settings chosen on scans, from the terminal."""

from __future__ import annotations

import json
from pathlib import Path

QUICK = ("--acceleration", "2", "--acs", "0.2", "--device", "cpu")


def test_tune_keeps_the_best_and_writes_settings_that_reconstruct_takes(run, fastmri_file, tmp_path: Path):
    scan, found = fastmri_file(), tmp_path / "found.json"
    code, out, err = run(
        "tune", scan, "--masks", "C2/20", "--preset", "fast", "--vary", "iterations=2,4", "--vary",
        "prior_weight=0.01,0.5", "-o", found,
    )  # fmt: skip
    assert code == 0, err
    means = [float(line.split("mean ")[1].split(" dB")[0]) for line in out.splitlines() if "mean" in line]
    assert len(means) == 4
    written = json.loads(found.read_text())
    assert written["settings"]["iterations"] == (2 if means[0] > means[1] else 4)
    assert written["tuning"]["command"].startswith("napari-pogmdm tune")
    assert list(written["tuning"]["scans_sha256"]) == ["file1000000.h5"]
    assert len(written["tuning"]["trials"]) == 4
    assert run("reconstruct", scan, "--settings", found, *QUICK, "-o", tmp_path / "out.h5")[0] == 0
    for arguments, words in (
        (("demo", "--vary", "iterations=2"), "the bundled scan is kept for showing results"),
        ((scan, "--vary", "iterations"), "cannot read 'iterations'"),
        ((scan, "--vary", "algorithm=1"), "not a numeric setting"),
        ((scan, "--vary", "iterations=2..8"), "whole numbers"),
        ((scan, "--vary", "prior_weight=3..1"), "not an interval"),
    ):
        code, _, err = run("tune", *arguments, "--masks", "C2/20", "-o", found)
        assert code == 2
        assert words in err.replace("\n", " ")


def test_tune_searches_an_interval_and_its_file_names_a_method(run, fastmri_file, tmp_path: Path):
    scan, found = fastmri_file(), tmp_path / "found.json"
    options = ("--masks", "C2/20", "--preset", "fast", "--vary", "iterations=2", "--vary", "prior_weight=0.05..2")
    code, out, err = run("tune", scan, *options, "--evaluations", 4, "-o", found)
    assert code == 0, err
    tried = {line.split(": mean ")[0]: float(line.split("mean ")[1].split(" dB")[0]) for line in out.splitlines()[2:6]}
    best = json.loads(found.read_text())["settings"]["prior_weight"]
    assert max(tried, key=lambda name: tried[name]) == f"prior_weight={best:g}"
    code, out, err = run("evaluate", scan, "--masks", "C2/20", "--methods", f"pogmdm::{found}", "-o", tmp_path / "r")
    assert code == 0, err
    assert f"{max(tried.values()):.2f}" in out
    code, _, err = run("evaluate", scan, "--methods", "pogmdm::absent.json", "-o", tmp_path / "r")
    assert code == 2
    assert "absent.json" in err
