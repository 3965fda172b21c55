from __future__ import annotations

from pathlib import Path

import nibabel
import numpy as np
import pytest
from PIL import Image

from napari_pogmdm.data.export.images import ImageStack, write_images
from napari_pogmdm.data.place import Place
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError

OBLIQUE = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
VALUES = np.random.default_rng(1).random((3, 12, 10)).astype(np.float32) * 50


def places(count: int = 3, step: float = 4.0) -> np.ndarray:
    down, across, through = (tuple(OBLIQUE[:, axis]) for axis in range(3))
    centres = [np.array([5.0, -6, 7]) + number * step * OBLIQUE[:, 2] for number in range(count)]
    made = [Place(tuple(centre), down, across, through, step) for centre in centres]
    return np.stack([place.affine((24, 10), (12, 10), (2.0, 1.5)) for place in made])


def test_nifti_has_the_geometry_of_the_scan(tmp_path: Path):
    write_images(ImageStack(VALUES, places()), tmp_path / "a.nii.gz")
    image = nibabel.load(tmp_path / "a.nii.gz")
    np.testing.assert_array_equal(image.get_fdata(dtype=np.float32), VALUES.transpose(2, 1, 0))
    np.testing.assert_allclose(image.header.get_zooms(), (1.5, 2.0, 4.0), rtol=1e-5)
    for number in range(3):  # the pixel at the centre lies where the scanner had it, in front-right-head
        centre = (np.array([5.0, -6, 7]) + number * 4.0 * OBLIQUE[:, 2]) * (-1, -1, 1)
        np.testing.assert_allclose((image.affine @ (5, 6, number, 1))[:3], centre, atol=1e-4)
    assert image.header.get_xyzt_units()[0] == "mm"


def test_complex_images_stay_complex(tmp_path: Path):
    values = (VALUES + 1j * VALUES[::-1]).astype(np.complex64)
    write_images(ImageStack(values), tmp_path / "a.nii")
    assert np.asarray(nibabel.load(tmp_path / "a.nii").dataobj).dtype == np.complex64
    both = write_images(ImageStack(values), tmp_path / "a.cfl")
    assert [path.name for path in both] == ["a.cfl", "a.hdr"]
    found = np.fromfile(tmp_path / "a.cfl", np.complex64).reshape((12, 10, *(1,) * 11, 3), order="F")
    np.testing.assert_array_equal(np.moveaxis(found.squeeze(), -1, 0), values)


def test_slices_that_are_no_volume_get_no_geometry():
    uneven = places()
    uneven[2, :3, 3] += 9
    assert ImageStack(VALUES, uneven).affine() is None


def test_dicom_comes_back_with_values_and_places(tmp_path: Path):
    files = write_images(ImageStack(VALUES, places(), "head"), tmp_path / "a.dcm")
    assert [file.name for file in files] == ["a-0000.dcm", "a-0001.dcm", "a-0002.dcm"]
    import pydicom

    for number, file in enumerate(files):
        image = pydicom.dcmread(file)
        assert image.SOPClassUID.name == "Secondary Capture Image Storage"
        values = image.pixel_array * float(image.RescaleSlope)
        np.testing.assert_allclose(values, VALUES[number], atol=50 / 65535)
    scan = open_scan(tmp_path)
    np.testing.assert_allclose(scan[1].affine[:3, 3], places()[1, :3, 3], atol=1e-4)
    np.testing.assert_allclose(scan[1].affine[:3, :2], places()[1, :3, :2], atol=1e-4)


def test_pictures(tmp_path: Path):
    write_images(ImageStack(VALUES), tmp_path / "a.tif")
    with Image.open(tmp_path / "a.tif") as pages:
        assert pages.n_frames == 3
        pages.seek(2)
        np.testing.assert_array_equal(np.asarray(pages), VALUES[2])
    write_images(ImageStack(VALUES[:1]), tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as page:
        assert page.size == (10, 12)
    with pytest.raises(InputError, match="a PNG holds one slice, not 3"):
        write_images(ImageStack(VALUES), tmp_path / "b.png")
    with pytest.raises(InputError, match="choose one of these endings"):
        write_images(ImageStack(VALUES), tmp_path / "b.bmp")
