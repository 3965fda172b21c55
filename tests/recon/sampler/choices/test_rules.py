from __future__ import annotations

import math

import pytest

from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.sampler.choices.rules import (
    Contender,
    explained,
    ghosts,
    last_resorts,
    other_starts,
    smoothing_for,
    too_close,
    unexplained,
    winner,
)
from napari_pogmdm.recon.sampler.choices.trial import Verdict
from recon.sampler.choices.small_scans import lines_of

ONE, TWO = Contender(1, CoilStart.NEWTON), Contender(2, CoilStart.NEWTON)
SIX = Contender(1, CoilStart.NEWTON_6)


def verdict(error: float, **facts: float) -> Verdict:
    return Verdict(error, 1.0, 1.0, **facts)


def test_a_contender_must_be_ten_per_cent_better_than_the_usual_one():
    assert winner({ONE: verdict(2.0), SIX: verdict(1.7)}, ONE) == SIX
    assert winner({ONE: verdict(2.0), SIX: verdict(1.9)}, ONE) == ONE


def test_calibrated_coils_need_five_per_cent():
    calibrated = Contender(1, CoilStart.CALIBRATED)
    assert winner({ONE: verdict(2.0), calibrated: verdict(1.88)}, ONE) == calibrated
    assert winner({ONE: verdict(2.0), calibrated: verdict(1.92)}, ONE) == ONE


def test_two_sets_win_only_where_the_field_of_view_wraps():
    assert winner({ONE: verdict(2.0), TWO: verdict(1.0, border=0.8)}, ONE) == TWO
    assert winner({ONE: verdict(2.0), TWO: verdict(1.0, border=0.3)}, ONE) == ONE
    assert winner({ONE: verdict(2.0), TWO: verdict(1.0, border=0.3), SIX: verdict(1.7)}, ONE) == SIX


def test_two_sets_that_are_preferred_lose_if_they_are_three_per_cent_worse():
    assert winner({ONE: verdict(1.98), TWO: verdict(2.0)}, TWO) == TWO
    assert winner({ONE: verdict(1.9), TWO: verdict(2.0)}, TWO) == ONE


def test_a_run_that_diverged_never_wins():
    assert winner({ONE: verdict(math.inf), TWO: verdict(9.0)}, ONE) == TWO


def test_trials_go_on_where_errors_hardly_differ():
    assert too_close(verdict(2.0), verdict(1.8))
    assert not too_close(verdict(2.0), verdict(1.6))


def test_the_unexplained_share_is_that_beyond_noise():
    assert unexplained({ONE: verdict(1.0)}, 5.0) == 0
    assert unexplained({ONE: verdict(5.0), SIX: verdict(3.0)}, 5.0) == pytest.approx(math.sqrt(8 / 24))
    assert unexplained({ONE: verdict(1.9)}, 1.9) == 0, "there is too little signal to say"


def test_much_may_stay_unexplained_where_there_is_little_signal():
    assert explained(0.4, signal=9.0, noise=1.0)
    assert not explained(0.6, signal=9.0, noise=1.0)
    assert explained(0.7, signal=2.5, noise=1.0)
    assert not explained(1.0, signal=2.5, noise=1.0)


def test_two_sets_without_a_wrapped_field_of_view_are_ghosts():
    inside, border = {"border": 0.2, "second": 0.01}, {"border": 0.8, "second": 0.01}
    assert ghosts({ONE: verdict(2.0), TWO: verdict(1.5, **inside)})
    assert not ghosts({ONE: verdict(2.0), TWO: verdict(1.5, **border)})
    assert ghosts({ONE: verdict(2.0), TWO: verdict(1.5, border=0.8, second=0.05)})
    assert not ghosts({ONE: verdict(2.0), TWO: verdict(1.99, **inside)})
    assert not ghosts({ONE: verdict(2.0), TWO: verdict(1.5, **inside), SIX: verdict(1.4)})


def test_other_starts_are_tried_where_the_usual_one_is_newton(head):
    thin, middling = lines_of(head, 0.05), lines_of(head, 0.1)
    assert other_starts(thin, CoilStart.NEWTON) == ("newton-6",)
    assert other_starts(middling, CoilStart.NEWTON) == ("newton-6", "calibrated")
    assert other_starts(middling, CoilStart.LOW_PASS) == ()
    assert last_resorts(thin) == ()
    assert last_resorts(middling) == ("calibrated-coil",)


def test_smoothing_grows_as_pixels_become_fewer_with_one_set_alone():
    assert smoothing_for((256, 256), 100.0) == 100
    assert smoothing_for((128, 128), 100.0) == 400
    assert smoothing_for((512, 512), 100.0) == 100
    assert smoothing_for((128, 128), 100.0, map_sets=2) == 100
