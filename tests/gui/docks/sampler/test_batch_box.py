from __future__ import annotations

import shutil
import sys
from functools import partial

import pytest
from qtpy.QtCore import Qt

from napari_pogmdm.gui.background.batch import BatchJob, JobState
from napari_pogmdm.gui.docks.sampler.batch_box import BatchBox
from napari_pogmdm.gui.docks.sampler.batch_request import batch_request
from napari_pogmdm.runs.record_file import read_records


@pytest.fixture
def box(qtbot):
    made = BatchBox(lambda source, output, cluster: [sys.executable, "-c", source, cluster], lambda: "")
    qtbot.addWidget(made)
    made.heard = []
    made.told.connect(lambda sentence, wrong: made.heard.append((sentence, wrong)))
    return made


def test_scans_run_one_after_the_other_and_one_that_fails_stops_no_other(box, until, tmp_path):
    bad = "import sys; print('napari-pogmdm: no scan.'); sys.exit(2)"
    good = "print('slice 0: pogmdm PSNR 31.50 dB')"
    box.start([BatchJob(source, tmp_path / f"{place}.h5") for place, source in enumerate((bad, good))])
    until(lambda: not box.busy)
    assert [job.state for job in box.jobs] == [JobState.FAILED, JobState.DONE]
    assert box.table.item(0, 1).toolTip() == "no scan."
    assert box.table.item(1, 2).text() == "31.50"
    assert box.heard == [("batch: 1 of 2 done, 1 failed.", True)]


def test_the_cluster_is_handed_on(box, until, qtbot, tmp_path):
    qtbot.keyClicks(box.cluster, " tcp://host:8786 ")
    box.start([BatchJob("import sys; print('napari-pogmdm: ' + sys.argv[1]); sys.exit(2)", tmp_path / "a.h5")])
    until(lambda: not box.busy)
    assert box.jobs[0].reason == "tcp://host:8786"


def test_the_dashboard_of_a_cluster_is_offered_as_long_as_it_runs(box, until, tmp_path):
    said = "Cluster: 2 workers at tcp://127.0.0.1:1; dashboard at http://127.0.0.1:2/status"
    box.start([BatchJob(f"import time; print({said!r}, flush=True); time.sleep(600)", tmp_path / "a.h5")])
    assert box.dashboard.isHidden()
    until(lambda: not box.dashboard.isHidden())
    assert 'href="http://127.0.0.1:2/status"' in box.dashboard.text()
    box.stop()
    until(lambda: not box.busy)
    assert box.dashboard.isHidden()


def test_cancel_ends_the_command_and_forgets_what_waits(box, until, qtbot, tmp_path):
    box.start([BatchJob("import time; time.sleep(600)", tmp_path / f"{place}.h5") for place in range(2)])
    assert box.busy
    qtbot.mouseClick(box.cancel, Qt.MouseButton.LeftButton)
    until(lambda: not box.busy)
    assert [job.state for job in box.jobs] == [JobState.CANCELLED] * 2
    assert box.start_folder(tmp_path / "nowhere") is None
    assert box.heard[-1][1]


def test_a_folder_is_reconstructed_with_the_settings_of_the_docks(small, qtbot, until, fastmri_file, tmp_path):
    folder = tmp_path / "scans"
    folder.mkdir()
    shutil.move(fastmri_file(), folder / "head.h5")
    box = BatchBox(partial(batch_request, small.session), lambda: "")
    qtbot.addWidget(box)
    box.start_folder(folder)
    until(lambda: not box.busy, seconds=240)
    (job,) = box.jobs
    assert job.state is JobState.DONE, job.reason
    assert len(job.qualities) == 2
    records = read_records(job.output)
    assert [record.settings["iterations"] for record in records] == [4, 4]
    assert records[0].mask["asked_acceleration"] == 2.0
