"""What is recorded stays within the bound, and is written whole or not at all."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.runs.recording_reader import read_recording
from napari_pogmdm.runs.recording_writer import Recorder
from runs.recorded_run import SHAPE, facts, recorded, row


def test_plain_hdf5_readers_see_the_numbers(tmp_path):
    recorded().save(tmp_path / "run.pogmdm.h5")
    with h5py.File(tmp_path / "run.pogmdm.h5") as file:
        numbers = file["tracks/reference/pictures"][0]
    expected = read_recording(tmp_path / "run.pogmdm.h5").picture("reference", 0)
    np.testing.assert_allclose(numbers * (1.2 / 4095), expected, atol=1e-6)


def test_coil_maps_are_kept_with_every_fourth_frame_and_the_last():
    recorder = recorded(7)
    recorder.add(row(7), {"coil phase": np.zeros((2, *SHAPE), np.float32)}, last=True)
    assert recorder.recording("run").tracks["coil phase"].which.tolist() == [0, 0, 0, 0, 1, 1, 1, 2]


def test_equal_pictures_are_stored_once():
    recorder = Recorder(facts(), 1.0)
    for iteration in range(5):
        recorder.add(row(iteration), {"mean": np.full(SHAPE, 0.5, np.float32)})
    assert len(recorder.recording("run").tracks["mean"].blocks) == 1


@pytest.mark.parametrize("limit", [100_000, 150_000, 400_000])
def test_a_recording_never_outgrows_its_bound_and_still_covers_the_run(tmp_path, limit):
    recorder = recorded(600, limit=limit)
    recording = recorder.save(tmp_path / "run.pogmdm.h5")
    assert (tmp_path / "run.pogmdm.h5").stat().st_size <= recorder.size <= limit
    iterations = recording.trace[recording.moments, 1]
    assert iterations[0] == 0
    assert iterations[-1] == 599
    gaps = np.diff(iterations)[:-1]
    assert gaps.min() == gaps.max()
    assert len(recording) > limit / 5_000


def test_a_bound_that_holds_no_frame_is_refused():
    recorder = Recorder(facts(), 1.0, limit=100_000)
    with pytest.raises(InputError, match=r"0\.1 MB is too little for one frame"):
        recorder.add(row(0), {"image": np.random.default_rng(0).random((600, 600), dtype=np.float32)})


def test_nothing_recorded_is_said(tmp_path):
    with pytest.raises(InputError, match="nothing has been recorded"):
        Recorder(facts(), 1.0).save(tmp_path / "run.pogmdm.h5")


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"end in \.pogmdm\.h5"):
        recorded(1).save(tmp_path / "run.h5")
