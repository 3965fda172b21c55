from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.gui.background.mailbox import Mailbox
from napari_pogmdm.gui.docks.denoise.prior_samples import SampleFrame, draw_sample
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.unconditional import PriorSampler, PriorSamplingSettings
from napari_pogmdm.recon.stepper import run

SMALL = PriorSamplingSettings(rows=24, columns=24, levels=5, corrections=2)


@pytest.fixture(scope="module")
def sampler() -> PriorSampler:
    return PriorSampler(load_prior("flf"), SMALL, seed=2)


def test_the_last_picture_is_the_finished_sample(sampler):
    posted: list[SampleFrame] = []
    last = draw_sample(sampler, lambda: False, posted.append)
    assert posted[0].step == 0
    assert posted[-1] is last
    assert (last.step, last.steps) == (10, 10)
    np.testing.assert_array_equal(last.sample, run(sampler)[0].image.numpy())


def test_cancelling_ends_at_once_and_keeps_what_there_is(sampler):
    questions = iter([False, False, False, True])
    assert draw_sample(sampler, lambda: next(questions), lambda frame: None).step == 3


def test_a_mailbox_keeps_the_newest_and_gives_it_once():
    box: Mailbox[int] = Mailbox()
    box.put(1)
    box.put(2)
    assert box.take() == 2
    assert box.take() is None
