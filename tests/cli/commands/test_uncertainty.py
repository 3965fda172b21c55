"""How chains spread, from the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.parametrize("accelerations", ["2,three", "1"])
def test_uncertainty_names_what_it_cannot_use(run, fastmri_file, tmp_path: Path, accelerations):
    code, _, err = run("uncertainty", fastmri_file(), "--accelerations", accelerations, "--png", tmp_path / "u.png")
    assert code == 2
    assert "acceleration" in err


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
