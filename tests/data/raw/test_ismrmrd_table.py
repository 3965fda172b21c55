"""Readouts are read as HDF5 reads them, and addresses that lead nowhere are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest

from data.raw.raw_scans import head, lines_of, oversampled, to_kspace, write_ismrmrd
from napari_pogmdm.data.raw.file_parts import file_parts
from napari_pogmdm.data.raw.ismrmrd_table import ReadoutTable, check_layout
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
    check_layout(dataset, "raw.h5")
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


PACKED = {
    "gzip": {"compression": "gzip"},
    "shuffled": {"compression": "gzip", "shuffle": True},
    "checksum first": {"fletcher32": True},
    "all": {"compression": "gzip", "shuffle": True, "fletcher32": True},
}


def packed(dataset: h5py.Dataset, path: Path, **options: object) -> Path:
    """Copy a table, its blocks compressed."""
    with h5py.File(path, "w") as file:
        file.create_dataset("data", data=dataset[()], dtype=dataset.dtype, chunks=(3,), **options)
    return path


@pytest.mark.parametrize("options", PACKED.values(), ids=PACKED)
def test_a_compressed_table_is_read_as_hdf5_reads_it(tmp_path: Path, dataset, options):
    path = packed(dataset, tmp_path / "packed.h5", **options)
    with h5py.File(path) as opened, file_parts(path) as parts:
        check_layout(opened["data"], path.name)
        table = ReadoutTable(opened["data"], parts)
        for ours, theirs in zip(table.values("data", 0, len(dataset)), dataset.fields("data")[()], strict=True):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(table.rows(2, 8)["head"]["idx"], dataset.fields("head")[2:8]["idx"])


@pytest.mark.parametrize("options", [{"chunks": None}, {"chunks": (3,), "compression": "lzf"}])
def test_what_hdf5_alone_could_read_is_refused_with_the_way_out(tmp_path: Path, dataset, options):
    with h5py.File(tmp_path / "odd.h5", "w") as file:
        table = file.create_dataset("data", data=dataset[()], dtype=dataset.dtype, **options)
        with pytest.raises(InputError, match=r"odd\.h5: .*h5repack"):
            check_layout(table, "odd.h5")


@pytest.mark.parametrize("options", PACKED.values(), ids=PACKED)
def test_damaged_blocks_are_refused_or_read_and_never_more(tmp_path: Path, dataset, options):
    path = packed(dataset, tmp_path / "packed.h5", **options)
    whole = path.read_bytes()
    with h5py.File(path) as opened:
        block = opened["data"].id.get_chunk_info_by_coord((0,))
    random = np.random.default_rng(0)
    for _ in range(40):
        damaged = bytearray(whole)
        for place in random.integers(block.byte_offset, block.byte_offset + block.size, 3):
            damaged[place] = random.integers(256)
        path.write_bytes(damaged)
        with h5py.File(path) as opened, file_parts(path) as parts, suppress(InputError):
            found = list(ReadoutTable(opened["data"], parts).values("data", 0, 3))
            assert sum(values.nbytes for values in found) <= 3 * len(whole)


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
