"""The tool that writes the scans on which presets are tuned."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.recon.measurement import reference_image

TOOL = Path(__file__).parent.parent.parent / "tools" / "make_validation_scans.py"


def test_a_measured_scan_is_written_in_the_layout_that_is_read(tmp_path, monkeypatch):
    generator = np.random.default_rng(0)
    kspace = generator.normal(size=(1, 3, 16, 12, 2)).astype(np.float32).view(np.complex64)[..., 0]
    np.savez(tmp_path / "head.npz", kspace=kspace)
    monkeypatch.setattr(sys, "argv", [str(TOOL), "--measured", str(tmp_path / "head.npz"), str(tmp_path / "out")])
    runpy.run_path(str(TOOL), run_name="__main__")
    slice_ = open_scan(tmp_path / "out" / "head.h5")[0]
    np.testing.assert_array_equal(slice_.kspace, kspace[0])
    coils = np.fft.ifftn(np.fft.ifftshift(kspace[0], axes=(-2, -1)), axes=(-2, -1), norm="ortho")
    expected = np.fft.fftshift(np.sqrt((np.abs(coils) ** 2).sum(axis=0)))
    np.testing.assert_allclose(reference_image(slice_), expected, rtol=1e-5)


@pytest.mark.parametrize("shape", [(12, 20), (20, 20), (30, 12)])
def test_images_are_brought_to_a_square_of_low_frequencies(shape):
    resized = runpy.run_path(str(TOOL))["resized"]
    down, across = np.mgrid[0 : shape[0], 0 : shape[1]]
    image = np.exp(-((down - shape[0] / 2) ** 2 + (across - shape[1] / 2) ** 2) / 8.0)
    small = resized(image, 16)
    assert small.shape == (16, 16)
    assert np.abs(np.array(np.unravel_index(small.argmax(), small.shape)) - 8).max() <= 2
