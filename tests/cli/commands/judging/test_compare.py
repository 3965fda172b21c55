"""Several methods on one slice, from the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.image import imread


@pytest.mark.slow
def test_compare_prints_a_table(run, tmp_path: Path):
    png = tmp_path / "panel.png"
    code, out, _ = run("compare", "phantom", "--methods", "zero-filled,cg-sense", "--png", png)
    assert code == 0
    assert "PSNR / dB" in out
    assert out.count("cg-sense") == 1
    assert str(png) in out.replace("\n", "")
    assert imread(png).shape[1] > 500


@pytest.mark.slow
def test_methods_are_compared_along_a_trajectory(succeed, fastmri_file):
    along = ("--trajectory", "golden-radial", "--spokes", 24)
    out = succeed("compare", fastmri_file(), *along, "--methods", "zero-filled,cg-sense", "--device", "cpu")
    assert "PSNR / dB" in out
    assert out.count("cg-sense") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--methods", "magic"), "unknown 'magic'"),
        (("--methods", "pogmdm:flf:fast:1:2"), "too many parts"),
        (("--slice", "all"), "one slice"),
    ],
)
def test_what_cannot_be_compared_is_named(refuse, options, words):
    refuse(("compare", "{scan}", *options), words)
