from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.layers.placement import in_column
from napari_pogmdm.runs.display import DisplayGeometry

GEOMETRY = DisplayGeometry((8, 10), (2.0, 0.5), 1.0)


def middle(place, shape):
    return place.translate + np.array(place.scale) * (np.array(shape) - 1) / 2


def test_a_cropped_image_lies_in_the_middle_of_the_whole_one():
    whole, part = (in_column(GEOMETRY, shape, 0, gridded=False) for shape in ((8, 10), (4, 6)))
    assert whole.translate == (0.0, 0.0)
    assert middle(part, (4, 6)) == pytest.approx(middle(whole, (8, 10)))
    assert part.units == ("mm", "mm")


def test_kspace_is_as_large_as_the_image_beside_it():
    place = in_column(GEOMETRY, (4, 5), 1, gridded=False)
    assert np.array(place.scale) * (4, 5) == pytest.approx([16.0, 5.0])
    assert place.translate[1] > 5.0
    assert place.axis_labels == ("ky", "kx")
    assert in_column(GEOMETRY, (4, 5), 1, gridded=True).translate == (0.0, 0.0)


def test_coils_are_counted_not_measured():
    place = in_column(GEOMETRY, (3, 8, 10), 0, gridded=False)
    assert place.scale == (1.0, 2.0, 0.5)
    assert place.units == ("pixel", "mm", "mm")
    assert place.axis_labels == ("coil", "y", "x")
