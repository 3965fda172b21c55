from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import Frame, Phase, TracePoint


def test_noise_that_would_be_white_is_shown_as_noise_and_the_image_after_it_as_usual(small, until):
    small.start(Phase.PAUSED)
    until(lambda: small.session.frame is not None)
    white, image = small.book.geometry.white, small.book.get(Role.IMAGE)
    usual = tuple(image.contrast_limits)
    assert usual[1] == pytest.approx(white)
    noise = np.abs(np.random.default_rng(0).normal(2 * white, white, image.data.shape)).astype(np.float32)
    frame = small.session.frame
    small.layers.show_frame(Frame({Role.IMAGE: noise}, frame.point), resting=False)
    assert image.contrast_limits[1] > 3 * white
    image_again = replace(frame, arrays={Role.IMAGE: np.full_like(noise, 0.2 * white)})
    small.layers.show_frame(image_again, resting=False)
    assert tuple(image.contrast_limits) == pytest.approx(usual)
    image.contrast_limits = (0.0, 0.5 * white)  # what the user chooses stays
    small.layers.show_frame(image_again, resting=False)
    assert tuple(image.contrast_limits) == pytest.approx((0.0, 0.5 * white))


def test_the_image_stays_until_a_run_has_a_picture_of_its_own(small):
    point = TracePoint(0, 0, 0, 0.1, *[math.nan] * 5, (1.0, 1.0))
    first = Frame({Role.IMAGE: np.ones(small.session.acquisition.shape, np.float32)}, point)
    small.layers.expect_run()
    assert small.canvas.shown == "Image"
    assert small.canvas.panels(), "a black canvas would tell nothing"
    small.layers.show_frame(first, resting=False)
    assert small.canvas.shown == "Run"
    small.canvas.show("Image")
    small.layers.show_frame(first, resting=False)
    assert small.canvas.shown == "Image", "who looks elsewhere stays there"
    small.layers.expect_run()
    assert small.canvas.shown == "Run", "at once, as there is a picture"
