from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.data.images import read_volume, read_volumes
from napari_pogmdm.errors import InputError


def test_numpy_arrays_become_stacks(tmp_path: Path):
    array = np.arange(2 * 3 * 4 * 5, dtype=np.int16).reshape(2, 3, 4, 5)
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", other=array[0], image=array)
    for name in ("a.npy", "a.npz"):
        volume = read_volume(tmp_path / name)
        assert volume.dtype == np.float32
        np.testing.assert_array_equal(volume, array.reshape(6, 4, 5))


def test_complex_images_are_taken_as_magnitudes(tmp_path: Path):
    np.save(tmp_path / "a.npy", np.full((4, 5), 3 + 4j))
    np.testing.assert_array_equal(read_volume(tmp_path / "a.npy"), np.full((1, 4, 5), 5.0))


def test_nifti_slices_run_along_the_last_axis(tmp_path: Path):
    import nibabel

    array = np.arange(4 * 5 * 3, dtype=np.int16).reshape(4, 5, 3)
    nibabel.save(nibabel.Nifti1Image(array, np.eye(4)), tmp_path / "a.nii.gz")
    volume = read_volume(tmp_path / "a.nii.gz")
    np.testing.assert_array_equal(volume, array.T)


def _write_dicom(path: Path, number: int, pixels: np.ndarray) -> None:
    from pydicom.dataset import FileDataset, FileMetaDataset
    from pydicom.uid import ExplicitVRLittleEndian, MRImageStorage, generate_uid

    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = MRImageStorage
    meta.MediaStorageSOPInstanceUID = generate_uid()
    dataset = FileDataset(str(path), {}, file_meta=meta, preamble=b"\0" * 128)
    dataset.InstanceNumber = number
    dataset.Rows, dataset.Columns = pixels.shape
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.BitsAllocated = dataset.BitsStored = 16
    dataset.HighBit, dataset.PixelRepresentation = 15, 0
    dataset.PixelData = pixels.astype(np.uint16).tobytes()
    dataset.SOPClassUID, dataset.SOPInstanceUID = meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID
    dataset.save_as(path, enforce_file_format=True)


def test_dicom_slices_come_in_their_own_order_and_other_files_are_left_alone(tmp_path: Path):
    for name, number in (("a.dcm", 3), ("b.dcm", 1), ("c.dcm", 2)):
        _write_dicom(tmp_path / name, number, np.full((6, 7), number))
    (tmp_path / "readme.txt").write_text("hello")
    np.testing.assert_array_equal(read_volume(tmp_path)[:, 0, 0], [1, 2, 3])


def test_dicom_slices_of_different_sizes_are_refused(tmp_path: Path):
    _write_dicom(tmp_path / "a.dcm", 1, np.ones((6, 7)))
    _write_dicom(tmp_path / "b.dcm", 2, np.ones((5, 7)))
    with pytest.raises(InputError, match="different sizes"):
        read_volume(tmp_path)


def test_fastmri_targets_are_read(fastmri_file):
    assert read_volume(fastmri_file()).shape == (2, 24, 32)
    with pytest.raises(InputError, match="no reconstruction_rss"):
        read_volume(fastmri_file("b.h5", reconstruction_rss=None))


def test_bad_files_are_named(tmp_path: Path):
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY garbage")
    (tmp_path / "broken.npz").write_bytes(b"PK garbage")
    (tmp_path / "broken.nii").write_bytes(b"garbage")
    (tmp_path / "image.bmp").write_bytes(b"BM")
    np.save(tmp_path / "nan.npy", np.full((4, 4), np.nan))
    np.save(tmp_path / "line.npy", np.ones(4))
    np.save(tmp_path / "words.npy", np.array([["a", "b"], ["c", "d"]]))
    np.save(tmp_path / "objects.npy", np.array([[{}, {}]], dtype=object), allow_pickle=True)
    (tmp_path / "folder").mkdir()
    for name in (
        "broken.npy",
        "broken.npz",
        "broken.nii",
        "image.bmp",
        "nan.npy",
        "line.npy",
        "words.npy",
        "objects.npy",
    ):
        with pytest.raises(InputError, match=name):
            read_volume(tmp_path / name)
    for name, words in (("folder", "no DICOM images"), ("absent.npy", "no such file")):
        with pytest.raises(InputError, match=words):
            read_volume(tmp_path / name)


def test_every_array_of_a_file_is_read(tmp_path: Path) -> None:
    arrays = {"flair": np.ones((3, 16, 20)), "t1": np.full((2, 12, 12), 2.0), "te": np.arange(3.0)}
    np.savez(tmp_path / "four.npz", **arrays)
    found = read_volumes(tmp_path / "four.npz")
    assert {name: stack.shape for name, stack in found.items()} == {"flair": (3, 16, 20), "t1": (2, 12, 12)}
    with pytest.raises(InputError, match="flair, t1"):
        read_volume(tmp_path / "four.npz")
    np.savez(tmp_path / "alike.npz", a=np.ones((3, 16, 20)), b=np.zeros((2, 16, 20)))
    assert read_volume(tmp_path / "alike.npz").shape == (5, 16, 20)
    np.savez(tmp_path / "named.npz", first=np.ones((9, 9)), image=np.zeros((4, 16, 20)))
    assert read_volume(tmp_path / "named.npz").shape == (4, 16, 20)
    np.savez(tmp_path / "none.npz", te=np.arange(3.0), b=np.arange(4.0))
    with pytest.raises(InputError, match="te, b"):
        read_volumes(tmp_path / "none.npz")
