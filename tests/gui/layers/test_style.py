from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.layers.style import STYLES, Contrast, LayerStyle
from napari_pogmdm.runs.roles import Role

DATA = np.linspace(-1.0, 3.0, 101, dtype=np.float32)


@pytest.mark.parametrize(
    ("contrast", "limits"),
    [
        (Contrast.INTENSITY, (0.0, 10.0)),
        (Contrast.ERROR, (0.0, 2.0)),
        (Contrast.OWN, (-1.0, 3.0)),
        (Contrast.DEVIATION, (0.0, 1.0)),
        ((-5.0, 5.0), (-5.0, 5.0)),
    ],
)
def test_limits_come_from_white_or_from_the_data(contrast, limits):
    assert LayerStyle("x", contrast=contrast).limits(DATA, white=10.0) == pytest.approx(limits)


def test_data_of_one_value_still_have_a_range():
    assert LayerStyle("x", contrast=Contrast.OWN).limits(np.full(4, 2.0), white=1.0) == (2.0, 3.0)


def test_every_role_has_a_style():
    assert set(STYLES) == set(Role)
