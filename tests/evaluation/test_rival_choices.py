"""Whether a scan is inside what a network has seen: mask, anatomy and contrast, each where it is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from napari_pogmdm.data.acquisition import Header
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.evaluation.case import MethodChoice
from napari_pogmdm.evaluation.rival_choices import seen_before
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.rivals.trained_on import TrainedOn

SEEN = MethodChoice("VarNet", "varnet", 1, trained_on=TrainedOn("C4/8", "brain", "T1", 4.0, 0.08))


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        ("AXT1", "brain T1, C4/8: inside"),
        ("AXT2", "brain T1, C4/8: outside"),
        ("CORPD_FBK", "brain T1, C4/8: outside"),
        ("T1 something", "brain T1, C4/8: mask inside, anatomy unknown"),
        (None, "brain T1, C4/8: mask inside, anatomy and contrast unknown"),
    ],
)
def test_the_header_says_what_a_scan_shows(protocol, words):
    scan = simulate_scan(shepp_logan((96, 96)), 2)
    scan = replace(scan, header=replace(scan.header or Header(), contrast=protocol))
    mask = make_mask("cartesian", scan.shape, 4, 0.08)
    assert seen_before(SEEN, undersample(scan, mask))[0] == words
    rotated = make_mask("cartesian", scan.shape, 4, 0.08, axis="rows")
    assert "whole columns" in seen_before(SEEN, undersample(scan, rotated))[1]
