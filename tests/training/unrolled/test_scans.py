"""Simulated scans to learn from repeat by their numbers, and fit their own images."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.training.unrolled.scans import EDGE, ScanSource, SimulatedScan
from napari_pogmdm.training.volumes.slices import VolumeSlices, load_slices


@pytest.fixture
def scans(volumes_folder: Path) -> list[SimulatedScan]:
    source = ScanSource(load_slices(volumes_folder), seed=1)
    return [source.draw(1, number) for number in range(8)]


def test_scans_repeat_by_their_numbers(volumes_folder: Path, scans: list[SimulatedScan]) -> None:
    volumes = load_slices(volumes_folder)
    again = ScanSource(volumes, seed=1).draw(1, 5)
    assert torch.equal(again.combined, scans[5].combined)
    for other in (ScanSource(volumes, seed=2).draw(1, 5), ScanSource(volumes, seed=1).draw(2, 5)):
        assert other.combined.shape != again.combined.shape or not torch.equal(other.combined, again.combined)


def test_data_are_those_of_the_image_but_for_noise(scans: list[SimulatedScan]) -> None:
    for scan in scans:
        rows, columns = scan.image.shape
        misfit = scan.combined - scan.normal(scan.image)
        assert misfit.abs().square().mean().sqrt() < 2 * scan.noise  # sqrt(2) for complex noise of every sample
        torch.testing.assert_close(scan.coils.abs().square().sum(0), torch.ones(rows, columns))
        left, right = (torch.vdot(a.flatten(), b.flatten()) for a, b in _pairs(scan))
        torch.testing.assert_close(left, right, rtol=1e-4, atol=1e-3)


def _pairs(scan: SimulatedScan) -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(0)
    one, other = (torch.complex(*torch.randn(2, *scan.image.shape, generator=generator)) for _ in range(2))
    return [(one, scan.normal(other)), (scan.normal(one), other)]


def test_strips_have_lines_alone_and_edges_that_are_not_judged(scans: list[SimulatedScan]) -> None:
    strips = [scan for scan in scans if scan.edge]
    assert 0 < len(strips) < len(scans)
    for scan in strips:
        assert scan.edge == EDGE
        assert scan.sense.encoding.axes == (-1,)


def test_small_slices_are_refused() -> None:
    image = torch.ones(40, 40).numpy()
    with pytest.raises(InputError, match="give larger images"):
        ScanSource([VolumeSlices("small", (image,), (), ())], seed=0)
