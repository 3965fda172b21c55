from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.docks.sampling.thumbnail import Thumbnail


@pytest.mark.parametrize("upright", [False, True])
def test_a_point_spread_along_one_line_is_thick_enough_to_be_seen(qtbot, upright):
    thumbnail = Thumbnail("point spread", "")
    qtbot.addWidget(thumbnail)
    decibels = np.full((240, 240), -80.0, dtype=np.float32)
    (decibels.T if upright else decibels)[120] = -10.0
    thumbnail.show_decibels(decibels)
    image = thumbnail.pixmap().toImage()
    side = image.width()
    across = [image.pixelColor(*((at, 5) if upright else (5, at))).lightness() > 60 for at in range(side)]
    assert side // 16 < sum(across) < side // 8
