"""Noise maps from the terminal."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest
from matplotlib.image import imread


@pytest.mark.slow
def test_a_noise_map_is_written_beside_the_image(run, fastmri_file, tmp_path: Path):
    target = tmp_path / "noise.h5"
    picture = tmp_path / "noise.png"
    code, out, err = run(
        "noise-map", fastmri_file(), "--replicas", 2, "--acceleration", 2, "--coils", 2, "-o", target, "--png", picture
    )  # fmt: skip
    assert code == 0, err
    assert str(picture) in out
    assert len({tuple(pixel) for row in imread(picture)[::7] for pixel in row[::7]}) > 50
    assert "g-factor" in out
    with h5py.File(target) as file:
        assert file["noise_map"].shape == file["g_factor"].shape == file["reconstruction"].shape
        assert "record" in file


def test_an_unknown_method_is_refused(run, fastmri_file, tmp_path: Path):
    code, _, err = run("noise-map", fastmri_file(), "--method", "magic", "-o", tmp_path / "n.h5")
    assert code == 2
    assert "unknown 'magic'" in err
