from __future__ import annotations

from pathlib import Path

import pytest

from napari_pogmdm.data.sources import scans_in
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.background.batch import BatchJob, JobState, batch_command, jobs_for, seconds_left
from napari_pogmdm.recon.sampler.sample import record_of


def test_a_job_follows_the_lines_of_the_command():
    job = BatchJob("scan.h5", Path("result.h5"), JobState.RUNNING)
    job.hear('{"job": "pogmdm, slice 7 (3 of 4)", "percent": 50}')
    assert job.fraction == pytest.approx(0.625)
    assert job.words == "62 %, slice 3 of 4"
    job.hear('{"job": "pogm')
    job.hear("slice 0: pogmdm PSNR 30.00 dB, SSIM 0.9\nslice 1: pogmdm PSNR 32.00 dB, SSIM 0.9")
    assert job.quality == 31.0
    job.hear("Cluster: 2 workers at tcp://127.0.0.1:8786; dashboard at http://127.0.0.1:8787/status")
    assert job.dashboard == "http://127.0.0.1:8787/status"
    job.hear("napari-pogmdm: scan.h5: is no scan.")
    job.end(2)
    assert (job.state, job.reason) == (JobState.FAILED, "scan.h5: is no scan.")


def test_the_time_left_follows_from_the_jobs_that_are_done():
    done = BatchJob("a", Path("a"), JobState.DONE, 1.0, began=10.0, ended=20.0)
    half = BatchJob("b", Path("b"), JobState.RUNNING, 0.5, began=20.0)
    waiting = BatchJob("c", Path("c"))
    assert seconds_left([done, half, waiting], now=25.0) == pytest.approx(15.0)
    assert seconds_left([waiting], now=25.0) is None


def test_the_command_has_all_slices_and_any_mask(request_of, tmp_path):
    record = record_of(request_of())
    record.scan.update(scan="small.h5", index=1)
    words = batch_command(record, "other.h5", tmp_path / "out.h5", "auto")
    assert words[1:5] == ["-m", "napari_pogmdm", "reconstruct", "other.h5"]
    assert words[words.index("--slice") + 1] == "all"
    assert words[words.index("--mask") + 1] == "auto"
    assert words[words.index("-o") + 1] == str(tmp_path / "out.h5")
    assert "--cluster" not in words
    words = batch_command(record, "other.h5", tmp_path / "out.h5", cluster="local:2")
    assert words[words.index("--cluster") + 1] == "local:2"
    record.changes.append({"name": "step_ratio"})
    with pytest.raises(InputError, match="reset"):
        batch_command(record, "other.h5", tmp_path / "out.h5")


def test_a_folder_gives_its_scans_and_not_its_results(tmp_path):
    for name in ("b.h5", "a.npy", "a-result.h5", "notes.txt"):
        (tmp_path / name).touch()
    jobs = jobs_for(scans_in(tmp_path), tmp_path / "results")
    assert [job.output.name for job in jobs] == ["a-result.h5", "b-result.h5"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no scan"):
        scans_in(tmp_path / "empty")
