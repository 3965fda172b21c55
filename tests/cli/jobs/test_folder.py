"""A folder of scans becomes a folder of results; what cannot be read is told of, and the rest goes on."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

QUICK = ("--method", "cg-sense", "--acceleration", "2", "--acs", "0.2")


@pytest.fixture
def folder(fastmri_file, tmp_path: Path, small_scan) -> Path:
    scans = tmp_path / "scans"
    scans.mkdir()
    for name in ("a.h5", "b.h5"):
        fastmri_file(name).rename(scans / name)
    fastmri_file("zero.h5", kspace=np.stack([small_scan.kspace, 0 * small_scan.kspace])).rename(scans / "c.h5")
    (scans / "d.h5").write_text("no scan")
    (scans / "notes.txt").write_text("not a scan, and not taken for one")
    return scans


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_all_scans_get_a_result_but_those_that_cannot(run, folder, tmp_path, jobs):
    out = tmp_path / "results"
    command = ("reconstruct", folder, *QUICK, "--slice", "all", "--jobs", jobs, "-o", out)
    code, said, err = run(*command)
    assert code == 2
    assert sorted(path.name for path in out.iterdir()) == ["a.h5", "b.h5"]
    assert said.count("PSNR") == 4
    words = " ".join(err.split())
    assert "d.h5" in words
    assert "c.h5: " in words
    assert "1 of 3 scans have no result" in words
    with h5py.File(out / "a.h5") as file:
        assert file["reconstruction"].shape == (2, 24, 32)
    before = (out / "a.h5").stat().st_mtime_ns
    (folder / "c.h5").unlink()
    (out / "b.h5").unlink()
    code, said, err = run(*command)
    assert "a.h5 already exists; remove it to reconstruct the scan again" in " ".join(err.split())
    assert (out / "a.h5").stat().st_mtime_ns == before
    assert said.count("PSNR") == 2


def test_folders_that_are_no_use_are_refused(sentence, tmp_path, folder):
    (tmp_path / "empty").mkdir()
    assert "holds no scans" in sentence("reconstruct", tmp_path / "empty", "-o", tmp_path / "out")
    assert "is the folder that is read" in sentence("reconstruct", folder, "-o", folder)
    assert "--png: is for one scan" in sentence("reconstruct", folder, "--png", tmp_path / "a.png")
