"""How chains spread, from the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.mark.parametrize("accelerations", ["2,three", "1"])
def test_uncertainty_names_what_it_cannot_use(run, fastmri_file, tmp_path: Path, accelerations):
    code, _, err = run("uncertainty", fastmri_file(), "--accelerations", accelerations, "--png", tmp_path / "u.png")
    assert code == 2
    assert "acceleration" in err


@pytest.mark.slow
def test_uncertainty_draws_and_says_how_chains_spread(run, fastmri_file, tmp_path: Path):
    code, out, err = run(
        "uncertainty", fastmri_file(), "--accelerations", "2,4", "--acs", 0.1, "--chains", 3, "--coils", 2, "--png",
        tmp_path / "u.png",
    )  # fmt: skip
    assert code == 0, err
    inside = [float(line.split("object ")[1].split(" %")[0]) for line in out.splitlines() if "object" in line]
    assert len(inside) == 2
    assert inside[1] > inside[0] > 0
    assert out.count("correlation of local spread and error") == 2
    claimed, covered = (
        [float(share) for share in line.split()[1:]] for line in out.splitlines() if line.startswith(("cla", "cov"))
    )
    assert len(claimed) == len(covered) == 19
    assert covered == sorted(covered)
    assert (tmp_path / "u.png").stat().st_size > 10_000
    code, _, err = run("uncertainty", fastmri_file(), "--method", "tv", "--png", tmp_path / "u.png")
    assert code == 2
    assert "has no chains" in err


@pytest.mark.slow
def test_a_calibration_is_fitted_and_written_with_its_evidence(run, fastmri_file, tmp_path: Path):
    target = tmp_path / "posterior.mine.calibration.json"
    code, out, err = run(
        "calibrate", fastmri_file(), "--masks", "C2/20,G2", "--chains", 2, "--coils", 2,
        "--keep", tmp_path / "kept", "-o", target,
    )  # fmt: skip
    assert code == 0, err
    assert len(list((tmp_path / "kept").iterdir())) == 2
    found = json.loads(target.read_text())
    assert found["factor"] > 0
    assert (found["scans"], found["cases"]) == (1, 2)
    assert set(found["coverage"]) == {"1", "1.96"}
    assert "correlation of local spread" in out
    assert len(found["evidence"]["scans_sha256"]) == 1


def test_what_cannot_be_calibrated_is_refused(run, fastmri_file, tmp_path: Path):
    code, _, err = run("calibrate", "demo", "-o", tmp_path / "c.json")
    assert code == 2
    assert "the bundled scan is kept for showing results" in err
    code, _, err = run("calibrate", fastmri_file(), "--chains", 1, "-o", tmp_path / "c.json")
    assert code == 2
    assert "give 2 or more" in err
    (tmp_path / "file").touch()
    code, _, err = run("calibrate", fastmri_file(), "--keep", tmp_path / "file", "-o", tmp_path / "c.json")
    assert code == 2
    assert "--keep" in err
    assert not (tmp_path / "c.json").exists()
