"""Which image of a scan is meant, and how its file is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.data.reading import ReadOptions
from napari_pogmdm.errors import InputError

AXES = "repetitions,contrasts,slices,coils,rows,columns"


@pytest.fixture
def scan(tmp_path: Path):
    generator = np.random.default_rng(0)
    values = generator.normal(size=(2, 3, 4, 2, 16, 16)) + 1j
    np.save(tmp_path / "many.npy", values.astype(np.complex64))
    return ScanOptions(axes=AXES).open(str(tmp_path / "many.npy"))


def test_slices_are_named_by_number_or_in_words(scan):
    options = ScanOptions()
    assert options.indices(scan, "all") == [0, 1, 2, 3]
    assert options.indices(scan, "middle") == [2]
    assert options.indices(scan, "1") == [1]
    assert options.indices(scan, "23") == [23]
    with pytest.raises(InputError, match="'some' is not a number, 'middle' or 'all'"):
        options.indices(scan, "some")
    with pytest.raises(InputError, match="has no slice 24: it has slices 0 to 3"):
        options.indices(scan, "24")


def test_contrast_and_repetition_are_counted_on(scan):
    assert ScanOptions(contrast=2, repetition=1).indices(scan, "3") == [3 + 4 * (2 + 3)]
    assert ScanOptions(at=["contrast=1"]).indices(scan, "all") == [4, 5, 6, 7]
    with pytest.raises(InputError, match="has no contrast 3: it has contrasts 0 to 2"):
        ScanOptions(contrast=3).indices(scan, "0")
    with pytest.raises(InputError, match="has no phase 1: it has one phase, 0"):
        ScanOptions(at=["phase=1"]).indices(scan, "0")
    with pytest.raises(InputError, match="--at: 'phase' is not written as name=number"):
        ScanOptions(at=["phase"]).indices(scan, "0")


def test_a_record_says_how_a_file_was_read_and_options_win_over_it():
    recorded = ReadOptions(axes="rows,columns", trajectory="places.npy")
    options = ScanOptions(axes="columns,rows").again(recorded, frozenset({"axes"}))
    assert (options.axes, options.trajectory_file) == ("columns,rows", Path("places.npy"))
