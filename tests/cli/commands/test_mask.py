"""Masks made from the terminal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread


def test_mask_is_written_and_drawn(run, tmp_path: Path):
    mask, png = tmp_path / "mask.npy", tmp_path / "mask.png"
    code, out, _ = run("mask", "--kind", "radial", "--shape", "64x48", "--acceleration", 5, "-o", mask, "--png", png)
    assert code == 0
    assert "asked 5x" in out
    samples = np.load(mask)
    assert samples.dtype == bool
    assert samples.shape == (64, 48)
    assert imread(png).std() > 0.05


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--shape", "square", "-o", "{folder}/m.npy"), "rows x columns"),
        (("--shape", "99999x9", "-o", "{folder}/m.npy"), "outside"),
        (("-o", "{folder}/m.png"), "does not end in .npy"),
        (("--kind", "fastmri-matched", "--acs", "0.25", "-o", "{folder}/m.npy"), "no more than"),
        (("--kind", "poisson", "--shape", "16x16", "--acs", "0.9", "-o", "{folder}/m.npy"), "does not fit"),
    ],
)
def test_a_mask_that_cannot_be_is_refused(refuse, options, words):
    refuse(("mask", *options), words)


def test_an_unknown_kind_is_answered_with_all_kinds(misuse):
    assert "'hexagonal' is not one of 'cartesian', 'fastmri-random'" in misuse("mask", "--kind", "hexagonal", "-o", "m")
