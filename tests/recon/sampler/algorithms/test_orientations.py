"""Mirroring and turning."""

from __future__ import annotations

import torch

from napari_pogmdm.recon.sampler.algorithms.orientations import turned, turned_back


def test_there_are_eight_orientations_and_a_way_back():
    image = torch.arange(2 * 3 * 3, dtype=torch.float32).reshape(2, 3, 3)
    orientations = {tuple(turned(image, number).flatten().tolist()) for number in range(8)}
    assert len(orientations) == 8
    assert torch.equal(turned(image, 0), image)
    assert torch.equal(turned(image, 13), turned(image, 5))


def test_turning_back_undoes_turning_of_any_shape():
    image = torch.complex(torch.rand(2, 1, 5, 7), torch.rand(2, 1, 5, 7))
    for number in range(9):
        there = turned(image, number)
        assert sorted(there.shape[-2:]) == [5, 7]
        back = turned_back(there, number)
        assert torch.equal(back, image)
        assert back.is_contiguous()
