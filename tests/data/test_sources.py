from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError


def images_of(kspace: np.ndarray) -> np.ndarray:
    axes = (-2, -1)
    return np.fft.fftshift(np.fft.ifftn(np.fft.ifftshift(kspace, axes=axes), axes=axes, norm="ortho"), axes=axes)


def test_the_demo_scan_is_there_with_its_reference_and_notice():
    scan = open_scan("demo")
    slice_ = scan[0]
    assert slice_.kspace.shape == (13, 224, 224)
    assert slice_.reference is not None
    rss = np.sqrt((np.abs(images_of(slice_.kspace)) ** 2).sum(axis=0))
    np.testing.assert_allclose(rss, slice_.reference, atol=1e-4)
    assert np.percentile(rss, 99.5) == pytest.approx(1, abs=0.01)


def test_sources_by_name_and_by_path(fastmri_file):
    assert open_scan("phantom").name == "phantom"
    assert len(open_scan(str(fastmri_file()))) == 2
    with pytest.raises(InputError, match="no slice 3"):
        open_scan("phantom")[3]


def test_the_bundled_scans_are_known_by_name():
    assert open_scan("demo")[0].origin is not None
    assert open_scan("demo")[0].origin.scan == "demo"
    assert open_scan("phantom")[0].origin.scan == "phantom"
