from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.gui.docks.inspector.pixel import pixel_at, read_pixel

SIGMA = 0.1


@pytest.mark.parametrize("pixel", [(0, 0), (20, 17), (47, 39)])
def test_responses_and_score_are_read_at_the_pixel(analysis, image, pixel):
    x = torch.from_numpy(image)
    found = read_pixel(analysis, *pixel)
    np.testing.assert_allclose(found.responses, analysis.prior.responses(x)[:, *pixel].numpy(), atol=1e-6)
    score = float(analysis.prior.score(x, SIGMA)[pixel])
    assert found.score == pytest.approx(score, abs=1e-3 * float(analysis.prior.score(x, SIGMA).abs().max()))
    denoised = float(analysis.prior.denoise(x, SIGMA)[pixel])
    assert found.value + found.step == pytest.approx(denoised, abs=1e-3)


def test_pixels_are_found_by_their_centres():
    assert pixel_at((0.49, -0.5), (4, 5)) == (0, 0)
    assert pixel_at((7.0, 3.4, 4.4), (4, 5)) == (3, 4)
    assert pixel_at((3.5, 0), (4, 5)) is None
    assert pixel_at((0, -0.51), (4, 5)) is None
    assert pixel_at((float("nan"), 0), (4, 5)) is None
