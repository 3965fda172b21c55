from __future__ import annotations

from pathlib import Path

import nibabel
import numpy as np
import pydicom
import pytest
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, MRImageStorage, generate_uid

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError

VOLUME = np.stack([(1 + number) * 100 * shepp_logan((32, 24)) for number in range(3)])


def write_dicom(path: Path, image: np.ndarray, number: int) -> None:
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = MRImageStorage
    meta.MediaStorageSOPInstanceUID = generate_uid()
    file = FileDataset(str(path), {}, file_meta=meta, preamble=b"\0" * 128)
    file.Rows, file.Columns = image.shape
    file.InstanceNumber = number
    file.SamplesPerPixel, file.PhotometricInterpretation = 1, "MONOCHROME2"
    file.BitsAllocated = file.BitsStored = 16
    file.HighBit, file.PixelRepresentation = 15, 0
    file.PixelSpacing, file.SliceThickness = [2.0, 1.5], 4.0
    file.ImagePositionPatient, file.ImageOrientationPatient = [-18.0, -32.0, 4.0 * number], [1, 0, 0, 0, 1, 0]
    file.PixelData = image.astype(np.uint16).tobytes()
    pydicom.dcmwrite(path, file, enforce_file_format=True)


def test_a_scan_is_simulated_of_every_slice_of_a_nifti_file(tmp_path: Path):
    affine = np.diag([-1.5, -2.0, 4.0, 1.0])
    nibabel.save(nibabel.Nifti1Image(VOLUME.transpose(2, 1, 0), affine), tmp_path / "head.nii.gz")
    scan = open_scan(tmp_path / "head.nii.gz")
    slice_ = scan[2]
    assert (len(scan), slice_.coils, slice_.shape) == (3, 8, (32, 24))
    np.testing.assert_allclose(slice_.reference, VOLUME[0] / VOLUME[0].max(), atol=1e-6)
    np.testing.assert_allclose(slice_.header.encoded_field_of_view_mm, (64, 36))
    np.testing.assert_allclose(slice_.place.affine((32, 24), (32, 24), slice_.pixel_mm)[:3, :3], affine[:3, :3])
    np.testing.assert_array_equal(slice_.kspace, scan[2].kspace)
    assert "simulated from the image" in slice_.remarks[0]


def test_a_folder_of_dicom_files_is_ordered_and_placed(tmp_path: Path):
    for number in (2, 0, 1):
        write_dicom(tmp_path / f"{9 - number}.dcm", VOLUME[number], number)
    (tmp_path / "notes.txt").write_text("not an image")
    scan = open_scan(tmp_path)
    assert len(scan) == 3
    assert scan[1].place.centre_mm == (0, 0, 4)
    assert scan[1].pixel_mm == (2.0, 1.5)
    assert len(open_scan(tmp_path / "9.dcm")) == 1


def test_real_arrays_are_images(tmp_path: Path):
    np.save(tmp_path / "images.npy", VOLUME)
    np.savez(tmp_path / "images.npz", image=VOLUME)
    for name in ("images.npy", "images.npz"):
        assert len(open_scan(tmp_path / name)) == 3
        assert open_scan(tmp_path / name)[0].noise_free_reference


def test_images_that_are_none_are_refused(tmp_path: Path):
    nibabel.save(nibabel.Nifti1Image(np.zeros((32, 24, 2)), np.eye(4)), tmp_path / "dark.nii")
    with pytest.raises(InputError, match="the image is all zero"):
        open_scan(tmp_path / "dark.nii")[0]
    whole = (tmp_path / "dark.nii").read_bytes()
    (tmp_path / "dark.nii").write_bytes(whole[:5000])
    with pytest.raises(InputError, match=r"dark.nii: .*(damaged|not a readable)"):
        open_scan(tmp_path / "dark.nii")[1]
    write_dicom(tmp_path / "a.dcm", VOLUME[0], 1)
    (tmp_path / "a.dcm").write_bytes((tmp_path / "a.dcm").read_bytes()[:-40])
    with pytest.raises(InputError, match="pixels cannot be read"):
        open_scan(tmp_path / "a.dcm")[0]
    np.save(tmp_path / "short.npy", np.ones(9))
    with pytest.raises(InputError, match="which is not an image"):
        open_scan(tmp_path / "short.npy")


@pytest.mark.parametrize("place", [20, 60])
def test_damage_in_a_compressed_file_is_one_sentence(tmp_path: Path, place: int):
    path = tmp_path / "head.nii.gz"
    nibabel.save(nibabel.Nifti1Image(VOLUME.transpose(2, 1, 0), np.eye(4)), path)
    content = bytearray(path.read_bytes())
    content[place : place + 64] = b"\xff" * 64
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"head.nii.gz: .*(is not a readable NIfTI file|cannot be read)"):
        open_scan(path)[0]


def test_a_nifti_file_is_believed_as_far_as_it_is_long(tmp_path: Path):
    path = tmp_path / "head.nii"
    image = nibabel.Nifti1Image(VOLUME.transpose(2, 1, 0), np.eye(4))
    image.header["dim"][1:4] = (30_000, 30_000, 1)
    path.write_bytes(image.header.binaryblock + bytes(1000))
    with pytest.raises(InputError, match=r"head.nii: claims .* GB but holds"):
        open_scan(path)
