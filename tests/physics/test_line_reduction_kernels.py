"""The loops of the reduction undo each other."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.physics.line_reduction_kernels import fold, join_columns, split_columns, unfold


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("columns", [8, 9, 10, 11])
def test_columns_are_split_by_their_place_among_four_and_joined_again(columns):
    image = numbers(3, 2 * columns).view(np.complex64)
    parts = [np.empty((3, 2), np.complex64) for _ in range(3)] + [np.empty((3, columns - 6), np.complex64)]
    split_columns(image, *parts)
    for place in range(4):
        np.testing.assert_array_equal(parts[place][:, :2], image[:, place:8:4])
    np.testing.assert_array_equal(parts[3][:, 2:], image[:, 8:])
    joined = np.empty_like(image)
    join_columns(*parts, joined)
    np.testing.assert_array_equal(joined, image)


@pytest.mark.parametrize("rows", [6, 7])
def test_unfolding_is_the_adjoint_of_folding(rows):
    lines, even, odd = (
        numbers(rows, 4),
        np.empty((rows - rows // 2, 4), np.float32),
        np.empty((rows // 2, 4), np.float32),
    )
    fold(lines, even, odd)
    others = numbers(rows - rows // 2, 4) + 1, numbers(rows // 2, 4) - 1
    back = np.empty_like(lines)
    unfold(*others, back)
    np.testing.assert_allclose(np.vdot(even, others[0]) + np.vdot(odd, others[1]), np.vdot(lines, back), rtol=1e-5)
