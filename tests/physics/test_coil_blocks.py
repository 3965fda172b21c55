"""Blocks of coils: all of them, once, and decided by the data alone."""

from __future__ import annotations

import pytest
import torch

from napari_pogmdm.physics.coil_blocks import coil_blocks, cut_into_blocks, over_coils


@pytest.mark.parametrize("coils", [1, 2, 7, 8, 13, 64])
@pytest.mark.parametrize("shape", [(8, 8), (224, 224), (640, 372)])
def test_every_coil_is_in_one_block_and_blocks_are_alike(coils, shape):
    blocks = coil_blocks(coils, shape)
    assert [coil for block in blocks for coil in range(coils)[block]] == list(range(coils))
    sizes = [block.stop - block.start for block in blocks]
    assert len(blocks) <= 8
    assert max(sizes) - min(sizes) <= 1


def test_small_images_are_not_cut_and_threads_do_not_matter():
    assert coil_blocks(8, (32, 32)) == [slice(0, 8)]
    before = coil_blocks(15, (320, 320))
    torch.set_num_threads(3)
    assert coil_blocks(15, (320, 320)) == before
    assert len(before) == 8


def test_work_is_called_for_all_chains():
    seen: list[tuple[int, int, int]] = []
    over_coils(lambda chain, block, which: seen.append((chain, block, which.start)), (2, 5, 400, 400))
    assert sorted(seen) == [(chain, block, block) for chain in range(2) for block in range(5)]


def test_arrays_with_gradients_are_left_to_torch():
    assert cut_into_blocks(torch.zeros(2))
    assert not cut_into_blocks(torch.zeros(2), torch.zeros(2, requires_grad=True))
