"""A small part of what ``make fuzz`` tries: every reader, a few damaged files each."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent.parent / "tools"
CASES = 6  # a reader; thousands are tried by the tool
NAMES = (
    "scan (fastMRI)", "header of a scan", "recording", "targets (fastMRI)", "volume, .npy", "volume, .npz",
    "volume, .nii", "volume, .nii.gz", "volume, DICOM", "image, .png", "mask", "coil maps", "record", "settings",
    "weights", "checkpoint", "state of a sampler", "chains to go on from", "rules of a split",
    "rows of an evaluation", "lesson", "ISMRMRD", "ISMRMRD, compressed", "twix, VB", "twix, VD", "BART, .hdr",
    "BART, .cfl", "convert: fastMRI",
    "convert: k-space, .npy", "convert: trajectory, .npz", "convert: images, .nii.gz", "convert: images, DICOM",
    "convert: result", "checkpoint of a rival, .pt", "exported score, .pt2",
)  # fmt: skip


@pytest.fixture(scope="module")
def tool():
    pytest.importorskip("qtpy")  # lessons live in the window's folder
    sys.path.insert(0, str(TOOLS))
    try:
        import fuzz

        yield fuzz
    finally:
        sys.path.remove(str(TOOLS))


def test_every_reader_is_tried(tool):
    assert set(NAMES) <= set(tool.known())


@pytest.mark.parametrize("name", NAMES)
def test_damaged_files_are_refused_or_accepted(tool, name, tmp_path):
    outcome, said = tool.try_case(name, -1, tmp_path / "sound")
    assert outcome == "accepted", said
    for seed in range(CASES):
        outcome, said = tool.try_case(name, seed, tmp_path / str(seed))
        assert outcome in {"refused", "accepted"}, f"seed {seed}: {said}"


def test_the_table_adds_up(tool):
    counts = {"a": {"tried": 2, "refused": 1, "accepted": 1, "wrong": 0}, "b": dict.fromkeys(tool.OUTCOMES, 3)}
    assert tool.table(counts).splitlines()[-1] == "| all | 5 | 4 | 4 | 3 |"
