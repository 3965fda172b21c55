"""Fitting a calibration from the terminal."""

from __future__ import annotations

import json
from pathlib import Path


def test_a_calibration_is_fitted_and_written_with_its_evidence(run, fastmri_file, tmp_path: Path):
    target = tmp_path / "posterior.calibration.json"
    code, out, err = run(
        "calibrate", fastmri_file(), "--masks", "C2/20,G2", "--chains", 2, "--coils", 2, "-o", target
    )  # fmt: skip
    assert code == 0, err
    found = json.loads(target.read_text())
    assert found["factor"] > 0
    assert (found["scans"], found["cases"]) == (1, 2)
    assert set(found["coverage"]) == {"1", "1.96"}
    assert "correlation of local spread" in out
    assert len(found["evidence"]["scans_sha256"]) == 1


def test_what_cannot_be_calibrated_is_refused(run, fastmri_file, tmp_path: Path):
    code, _, err = run("calibrate", "demo", "-o", tmp_path / "c.json")
    assert code == 2
    assert "never on the bundled scan" in err
    code, _, err = run("calibrate", fastmri_file(), "--chains", 1, "-o", tmp_path / "c.json")
    assert code == 2
    assert "give 2 or more" in err
    assert not (tmp_path / "c.json").exists()
