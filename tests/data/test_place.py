from __future__ import annotations

import numpy as np

from napari_pogmdm.data.place import place_of


def test_the_centre_of_the_image_lies_where_the_file_says():
    place = place_of(np.array([10.0, -20.0, 30.0]), np.eye(3)[[1, 0, 2]], 5.0)
    assert place is not None
    affine = place.affine((64, 48), (32, 48), (2.0, 1.5))
    middle = affine @ (24, 32 - 16, 0, 1)
    np.testing.assert_allclose(middle, [-10, 20, 30, 1])
    next_column = affine @ (25, 16, 0, 1) - middle
    np.testing.assert_allclose(next_column, [-1.5, 0, 0, 0])
    next_row = affine @ (24, 17, 0, 1) - middle
    np.testing.assert_allclose(next_row, [0, -2.0, 0, 0])
    np.testing.assert_allclose((affine @ (24, 16, 1, 1) - middle)[2], 5.0)


def test_directions_that_are_none_give_no_place():
    assert place_of(np.zeros(3), np.zeros((3, 3)), None) is None
    assert place_of(np.full(3, np.nan), np.eye(3), None) is None
