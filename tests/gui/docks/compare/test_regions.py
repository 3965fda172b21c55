from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.compare.regions import outline, region_mask, region_numbers

BOX = np.array([[2, 3], [2, 8], [6, 8], [6, 3]], dtype=float)


def test_a_rectangle_holds_the_pixels_inside():
    inside = region_mask((10, 12), [outline("rectangle", BOX)])
    assert inside.sum() == inside[2:7, 3:9].sum()
    assert inside[3:6, 4:8].all()


def test_an_ellipse_fills_its_box_by_about_pi_over_four():
    box = np.array([[10, 10], [10, 90], [50, 90], [50, 10]], dtype=float)
    share = region_mask((100, 100), [outline("ellipse", box)]).sum() / (40 * 80)
    assert share == pytest.approx(np.pi / 4, rel=0.03)


def test_figures_inside_against_a_reference():
    image = np.full((10, 12), 3, np.float32)
    image[4, 5] = 5
    inside = region_mask((10, 12), [BOX])
    found = region_numbers(image, np.full_like(image, 2), inside)
    assert found.pixels == inside.sum()
    assert found.mean == pytest.approx(image[inside].mean())
    assert found.deviation == pytest.approx(image[inside].std())
    assert found.error == pytest.approx(np.sqrt(((image[inside] - 2) ** 2).mean()))
    assert np.isnan(region_numbers(image, None, inside).error)


def test_a_region_at_the_border_counts_its_inner_part():
    assert region_mask((10, 12), [BOX - 4]).sum() > 0


@pytest.mark.parametrize(
    ("outlines", "sentence"), [([BOX + 100], "outside the image"), ([BOX - 100], "outside"), ([], "holds no shape")]
)
def test_regions_that_hold_nothing_are_refused(outlines, sentence):
    with pytest.raises(InputError, match=sentence):
        region_mask((10, 12), outlines)


def test_a_line_encloses_nothing():
    with pytest.raises(InputError, match="a line encloses no pixels"):
        outline("line", BOX)
