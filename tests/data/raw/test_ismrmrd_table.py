"""Readouts are read as HDF5 reads them, and addresses that lead nowhere are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest

from data.raw.raw_scans import head, lines_of, oversampled, to_kspace, write_ismrmrd
from napari_pogmdm.data.raw.file_parts import file_parts
from napari_pogmdm.data.raw.ismrmrd_table import ReadoutTable, is_plain
from napari_pogmdm.errors import InputError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    small = to_kspace(oversampled(head(16, 16, 2)))
    return write_ismrmrd(tmp_path / "raw.h5", lines_of(small), x=32, y=16, centre=8, rx=16)


@pytest.fixture
def dataset(file: Path) -> Iterator[h5py.Dataset]:
    with h5py.File(file) as opened:
        yield opened["dataset/data"]


def test_rows_and_numbers_are_those_that_hdf5_reads(file: Path, dataset):
    assert is_plain(dataset)
    with file_parts(file) as parts:
        table = ReadoutTable(dataset, parts)
        rows = table.rows(3, 9)
        for field in ("traj", "data"):
            found = list(table.values(field, 3, 9))
            for ours, theirs in zip(found, dataset.fields(field)[3:9], strict=True):
                np.testing.assert_array_equal(ours, theirs)
    expected = dataset.fields("head")[3:9]
    for name in ("flags", "number_of_samples", "active_channels"):
        np.testing.assert_array_equal(rows["head"][name], expected[name])


def test_a_compressed_table_is_left_to_hdf5(file: Path, tmp_path: Path, dataset):
    with h5py.File(tmp_path / "packed.h5", "w") as packed:
        copy = packed.create_dataset("data", (4,), dataset.dtype, chunks=(2,), compression="gzip")
        assert not is_plain(copy)


@pytest.mark.parametrize("mark", [b"GCOL", b"GC\0L"])
def test_a_heap_that_is_none_or_claims_more_than_the_file_is_refused(file: Path, mark):
    whole = bytearray(file.read_bytes())
    place = whole.find(b"GCOL")
    while place >= 0:  # every heap: the first may hold the text of the header
        whole[place : place + 4] = mark
        whole[place + 8 : place + 16] = (2**40).to_bytes(8, "little")
        place = whole.find(b"GCOL", place + 1)
    file.write_bytes(whole)
    with h5py.File(file) as opened, file_parts(file) as parts:
        table = ReadoutTable(opened["dataset/data"], parts)
        with pytest.raises(InputError, match="samples of a readout are missing"):
            list(table.values("data", 0, 4))
