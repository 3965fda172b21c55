"""ISMRMRD files that are damaged, lie, or are laid out in another way."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import h5py
import numpy as np
import pytest

from data.raw.raw_scans import HEADER, head, lines_of, oversampled, to_kspace, write_ismrmrd
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import Cancelled, InputError

FULL = to_kspace(oversampled(head()))
BOMB = '<!DOCTYPE a [<!ENTITY b "boom"><!ENTITY c "&b;&b;&b;&b;">]>'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_ismrmrd(tmp_path / "raw.h5", lines_of(FULL))


def with_header(file: Path, text: str) -> None:
    with h5py.File(file, "r+") as opened:
        opened["dataset/xml"][0] = text


@pytest.mark.parametrize("share", [0.05, 0.4, 0.8, 0.98])
def test_a_file_cut_short_is_refused(file: Path, share: float):
    whole = file.read_bytes()
    file.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(InputError, match=r"damaged or cut short|not an HDF5 file"):
        open_scan(file)[0]


def test_any_name_of_the_group_and_of_the_file_will_do(file: Path):
    with h5py.File(file, "r+") as opened:
        opened.move("dataset", "measurement_1")
    other = file.rename(file.with_suffix(".mrd"))
    assert open_scan(other)[0].coils == 4


def test_entities_are_not_expanded(file: Path):
    with_header(file, HEADER.replace("<ismrmrdHeader", BOMB + "<ismrmrdHeader", 1))
    with pytest.raises(InputError, match="declares document types or entities"):
        open_scan(file)


@pytest.mark.parametrize("text", ["", "<a", "<ismrmrdHeader></ismrmrdHeader>", "<a>" * 10_000])
def test_a_header_that_is_none_is_refused(file: Path, text: str):
    with_header(file, text)
    with pytest.raises(InputError, match="header"):
        open_scan(file)


def test_a_header_without_sizes_leaves_it_to_the_samples(file: Path):
    with_header(file, "<ismrmrdHeader><encoding><trajectory>cartesian</trajectory></encoding></ismrmrdHeader>")
    slice_ = open_scan(file)[0]
    assert slice_.shape == (64, 24)
    assert slice_.pixel_mm is None


def test_a_table_longer_than_the_file_takes_no_memory(file: Path):
    with h5py.File(file, "r+") as opened:
        opened["dataset/data"].resize((15_000_000,))
    with pytest.raises(InputError, match="15000000 readouts, more than the file holds"):
        open_scan(file)


def test_a_readout_that_is_shorter_than_its_header_says_is_refused(file: Path):
    with h5py.File(file, "r+") as opened:
        row = opened["dataset/data"][12]
        row["data"] = row["data"][:-10]
        opened["dataset/data"][12] = row
    with pytest.raises(InputError, match="readout 12 holds 251 samples, but its header says 4 coils of 64"):
        open_scan(file)[0]


def test_another_layout_is_refused(file: Path):
    with h5py.File(file, "r+") as opened:
        del opened["dataset/data"]
        opened["dataset/data"] = np.zeros((3, 4))
    with pytest.raises(InputError, match="not laid out as ISMRMRD"):
        open_scan(file)
    with h5py.File(file, "r+") as opened:
        del opened["dataset/data"]
        opened["dataset/data"] = h5py.SoftLink("/elsewhere")
    with pytest.raises(InputError, match="holds no kspace"):
        open_scan(file)


def test_indexing_can_be_watched_and_cancelled(file: Path):
    shares: list[float] = []
    open_scan(file, progress=shares.append)
    assert shares[-1] == 1
    with pytest.raises(Cancelled):
        open_scan(file, cancelled=lambda: True)


@pytest.mark.slow
def test_damage_ends_in_one_sentence(tmp_path: Path):
    small = to_kspace(oversampled(head(16, 16, 2)))
    file = write_ismrmrd(tmp_path / "raw.h5", lines_of(small), x=32, y=16, centre=8, rx=16)
    whole = file.read_bytes()
    generator = np.random.default_rng(11)
    for _ in range(120):
        broken = bytearray(whole)
        for _ in range(generator.integers(1, 20)):
            broken[generator.integers(len(broken))] = generator.integers(256)
        file.write_bytes(broken)
        tracemalloc.start()
        try:
            open_scan(file)[0]
        except InputError as error:
            assert "\n" not in str(error)
        finally:
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        assert peak < 256e6
