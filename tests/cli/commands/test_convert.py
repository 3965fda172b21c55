"""Scans and results in other formats, from the terminal."""

from __future__ import annotations

from pathlib import Path

import h5py
import nibabel
import numpy as np
import pytest

from data.raw.raw_scans import head, lines_of, oversampled, to_kspace, write_ismrmrd

FULL = to_kspace(oversampled(head()))


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    readouts = [line for number in range(3) for line in lines_of(FULL, slice=number, position=(0, 0, 6.0 * number))]
    return write_ismrmrd(tmp_path / "raw.h5", readouts)


def test_a_raw_scan_goes_through_all_formats_to_an_image_in_its_place(raw: Path, succeed, tmp_path: Path):
    result = tmp_path / "result.h5"
    succeed("reconstruct", raw, "--slice", "all", "--method", "zero-filled", "-o", result)
    with h5py.File(result) as file:
        assert file["affine"].shape == (3, 4, 4)
        assert file["coils"].shape == (3, 4, 32, 24)
        assert file["complex_image"].shape == (3, 32, 24)
        magnitude, phase = np.abs(file["complex_image"][0]), np.angle(file["complex_image"][0])
        np.testing.assert_allclose(magnitude, file["reconstruction"][0], rtol=1e-3, atol=1e-4)
        assert phase.any()
    succeed("convert", result, tmp_path / "a.nii.gz")
    image = nibabel.load(tmp_path / "a.nii.gz")
    np.testing.assert_allclose(image.header.get_zooms(), (10.0, 7.5, 6.0))
    np.testing.assert_allclose((image.affine @ (12, 16, 2, 1))[:3], (0, 0, 12), atol=1e-5)
    assert succeed("convert", result, tmp_path / "a.dcm").count(".dcm") == 3
    succeed("convert", result, tmp_path / "a.cfl", "--array", "complex_image")
    for name in ("k.h5", "k.cfl", "k.npz"):
        succeed("convert", raw, tmp_path / name)
    succeed("convert", tmp_path / "k.npz", tmp_path / "full.tif")
    succeed("convert", tmp_path / "k.cfl", tmp_path / "full.png", "--slice", 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("{raw}", "{folder}/out.xyz"), "k-space is written as"),
        (("{raw}", "{raw}"), "would write over"),
        (("{raw}", "{folder}/absent/out.npz"), "does not exist"),
        (("{raw}", "{folder}/out.npz", "--slice", "7"), "has no slice 7"),
        (("absent.h5", "{folder}/out.npz"), "no such file"),
    ],
)
def test_conversions_that_cannot_be_are_refused(raw: Path, run, tmp_path: Path, arguments, words):
    code, _, err = run("convert", *(part.format(raw=raw, folder=tmp_path) for part in arguments))
    assert code == 2
    assert words in " ".join(err.split())


def test_an_undersampled_scan_has_no_image_yet(tmp_path: Path, run):
    raw = write_ismrmrd(tmp_path / "raw.h5", lines_of(FULL, range(0, 24, 2)))
    code, _, err = run("convert", raw, tmp_path / "out.nii")
    assert code == 2
    assert "reconstruct it first" in " ".join(err.split())


def test_without_an_output_the_result_is_named_after_the_scan(raw: Path, succeed, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("raw-result.h5", "raw-result-2.h5"):
        assert name in succeed("reconstruct", raw, "--method", "zero-filled")
        assert (tmp_path / name).exists()
