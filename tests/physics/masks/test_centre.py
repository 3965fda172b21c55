from __future__ import annotations

import pytest

from napari_pogmdm.physics.masks.centre import central


@pytest.mark.parametrize("count", [7, 8, 372])
def test_central_blocks_contain_each_other_and_zero_frequency(count):
    before: set[int] = set()
    for width in range(1, count + 1):
        block = set(range(count)[central(count, width)])
        assert len(block) == width
        assert count // 2 in block
        assert before < block
        before = block


def test_fastmri_rounds_the_same_way():
    assert central(372, 30) == slice(171, 201)
    assert central(640, 51) == slice(295, 346)
