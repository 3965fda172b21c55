from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.data.fastmri import open_fastmri
from napari_pogmdm.data.hdf5 import open_hdf5, plain_dataset
from napari_pogmdm.errors import InputError


def test_links_out_of_the_file_are_refused(tmp_path: Path, fastmri_file):
    real = fastmri_file()
    linked = tmp_path / "linked.h5"
    with h5py.File(linked, "w") as file:
        file["kspace"] = h5py.ExternalLink(real.name, "/kspace")
    with pytest.raises(InputError, match="link to somewhere else"):
        open_fastmri(linked)
    stored_elsewhere = tmp_path / "external.h5"
    with h5py.File(stored_elsewhere, "w") as file:
        file.create_dataset(
            "kspace", (1, 2, 8, 8), np.complex64, external=[(str(tmp_path / "secret.bin"), 0, h5py.h5f.UNLIMITED)]
        )
    with pytest.raises(InputError, match="kept in other files"):
        open_fastmri(stored_elsewhere)


def test_a_truncated_file_is_named(fastmri_file):
    path = fastmri_file()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"file1000000.h5.*damaged or cut short"):
        open_fastmri(path)


def test_a_gigantic_slice_is_refused_before_memory_is_asked_for(tmp_path: Path):
    path = tmp_path / "bomb.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("kspace", (1, 64, 60_000, 60_000), np.complex64, chunks=(1, 1, 1000, 1000))
    with pytest.raises(InputError, match=r"kspace: claims 1\.84e\+03 GB but holds 0 MB"):
        open_fastmri(path)


def test_two_thousand_million_slices_in_a_small_file_are_refused(tmp_path: Path):
    path = tmp_path / "bomb.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("kspace", (2**31, 1, 8, 8), np.complex64, chunks=(1, 1, 8, 8))
    assert path.stat().st_size < 20_000
    with pytest.raises(InputError, match="claims"):
        open_fastmri(path)


def test_what_is_no_hdf5_file_is_named(tmp_path: Path):
    (tmp_path / "text.h5").write_text("no")
    for name, words in (("text.h5", "is not an HDF5 file"), ("absent.h5", "no such file"), (".", "is a folder")):
        with pytest.raises(InputError, match=words), open_hdf5(tmp_path / name):
            pass


def test_datasets_are_given_where_they_are_arrays_of_this_file(tmp_path: Path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["array"] = np.arange(3)
        file.create_group("group")
    with open_hdf5(path) as file:
        dataset = plain_dataset(file, "array")
        assert dataset is not None
        assert dataset[()].tolist() == [0, 1, 2]
        assert plain_dataset(file, "absent") is None
        with pytest.raises(InputError, match="is a group"):
            plain_dataset(file, "group")


def test_too_little_memory_is_not_taken_for_damage(tmp_path: Path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = 1
    with pytest.raises(InputError, match="does not fit into memory"), open_hdf5(tmp_path / "a.h5"):
        raise MemoryError
