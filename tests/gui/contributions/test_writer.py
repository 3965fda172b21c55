from __future__ import annotations

import sys
from pathlib import Path

import h5py
import nibabel
import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.contributions.reader import read
from napari_pogmdm.gui.contributions.writer import write_fastmri, write_nifti


@pytest.fixture
def image():
    return np.arange(12, dtype=np.float32).reshape(3, 4)


def test_fastmri_layout_with_the_record(tmp_path: Path, image):
    path = str(tmp_path / "image.h5")
    record = {"method": "pogmdm", "settings": {}}
    assert write_fastmri(path, image, {"metadata": {"pogmdm record": record}}) == [path]
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["reconstruction"][()], image[None])
    [(data, facts, _)] = read(path)
    np.testing.assert_array_equal(data, image)
    assert facts["metadata"]["pogmdm record"] == record


@pytest.mark.parametrize("ending", ["nii", "nii.gz"])
def test_nifti_has_the_layers_voxels(tmp_path: Path, image, ending):
    path = str(tmp_path / f"image.{ending}")
    stack = np.stack([image, 2 * image])
    write_nifti(path, stack, {"scale": (5.0, 0.5, 0.7), "units": ("pixel", "millimeter", "millimeter")})
    volume = nibabel.load(path)
    assert volume.shape == (4, 3, 2)
    assert volume.header.get_zooms() == pytest.approx((0.7, 0.5, 5.0))
    assert volume.header.get_xyzt_units()[0] == "mm"
    np.testing.assert_array_equal(volume.get_fdata()[:, :, 1].T, 2 * image)
    assert [file.name for file in tmp_path.iterdir()] == [f"image.{ending}"]


@pytest.mark.parametrize("write", [write_fastmri, write_nifti])
def test_other_layers_are_refused_and_leave_no_file(tmp_path: Path, image, write):
    with pytest.raises(InputError, match="this layer is another kind"):
        write(str(tmp_path / "image.nii"), np.zeros((3, 4, 3)), {"rgb": True})
    with pytest.raises(InputError, match="does not exist; make it first"):
        write(str(tmp_path / "nowhere" / "image.nii"), image, {})
    assert not list(tmp_path.iterdir())


def test_without_nibabel_one_sentence_says_how_to_get_it(tmp_path: Path, image, monkeypatch):
    monkeypatch.setitem(sys.modules, "nibabel", None)
    with pytest.raises(InputError, match="napari-pogmdm\\[export\\]"):
        write_nifti(str(tmp_path / "image.nii"), image, {})
