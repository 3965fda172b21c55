from __future__ import annotations

import math

import pytest

from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.sampler.choices.rules import (
    Contender,
    explained,
    fits,
    last_resorts,
    other_starts,
    other_starts_of_two,
    smoothing_for,
    tells_two_sets_apart,
    unexplained,
    white,
    winner,
)
from napari_pogmdm.recon.sampler.choices.trial import Verdict
from recon.sampler.choices.small_scans import lines_of, scan_of

ONE, TWO = Contender(1, CoilStart.NEWTON), Contender(2, CoilStart.NEWTON)
NINE, NINE_TWO = Contender(1, CoilStart.NEWTON_9), Contender(2, CoilStart.NEWTON_9)
WRAPPED = {"border": 0.8, "second_border": 0.4}


def verdict(error: float, **facts: float) -> Verdict:
    return Verdict(error, 1.0, 1.0, **facts)


def test_a_contender_must_be_ten_per_cent_better_than_the_usual_one():
    assert winner({ONE: verdict(2.0), NINE: verdict(1.7)}, ONE) == NINE
    assert winner({ONE: verdict(2.0), NINE: verdict(1.9)}, ONE) == ONE


def test_calibrated_coils_need_five_per_cent():
    calibrated = Contender(1, CoilStart.CALIBRATED)
    assert winner({ONE: verdict(2.0), calibrated: verdict(1.88)}, ONE) == calibrated
    assert winner({ONE: verdict(2.0), calibrated: verdict(1.92)}, ONE) == ONE


def test_smooth_coils_win_if_they_predict_no_worse_and_fit_less_of_the_noise():
    smooth = Contender(1, CoilStart.NEWTON_SMOOTH)
    usual = {ONE: verdict(2.0)}
    assert winner({**usual, smooth: Verdict(1.98, 1.0, 1.06)}, ONE) == smooth
    assert winner({**usual, smooth: Verdict(1.98, 1.0, 1.03)}, ONE) == ONE, "no clear gain in units of the noise"
    assert winner({**usual, smooth: Verdict(2.01, 1.0, 1.2)}, ONE) == ONE, "predicts worse"
    assert winner({**usual, NINE: Verdict(1.98, 1.0, 1.06)}, ONE) == ONE, "other coils are not smoother"


def test_of_several_that_are_better_the_smallest_error_in_units_of_the_noise_wins():
    smooth = Contender(1, CoilStart.NEWTON_SMOOTH)
    assert winner({ONE: verdict(2.0), NINE: Verdict(1.5, 1.0, 1.0), smooth: Verdict(1.6, 1.0, 1.2)}, ONE) == smooth
    assert winner({ONE: verdict(2.0), NINE: Verdict(1.5, 1.0, 1.0), smooth: Verdict(1.6, 1.0, 1.0)}, ONE) == NINE


def test_starts_of_two_sets_are_compared_in_units_of_the_noise():
    assert winner({TWO: verdict(2.0, **WRAPPED), NINE_TWO: Verdict(2.02, 1.0, 1.1, **WRAPPED)}, TWO) == NINE_TWO
    assert winner({TWO: verdict(2.0, **WRAPPED), NINE_TWO: Verdict(1.9, 1.0, 0.9, **WRAPPED)}, TWO) == TWO
    smooth = TWO.smoother
    assert winner({TWO: verdict(2.0, **WRAPPED), smooth: Verdict(1.95, 1.0, 1.2, **WRAPPED)}, TWO) == TWO, "as they are"


def test_few_lines_tell_two_sets_apart_only_where_these_predict_what_was_left_out(head):
    thin = lines_of(head, 0.05)
    assert not tells_two_sets_apart(thin, 0.2)
    assert tells_two_sets_apart(thin, 0.12)
    assert tells_two_sets_apart(lines_of(head, 0.1), 0.2), "the centre can be calibrated on"
    scan = scan_of(head)
    assert tells_two_sets_apart(undersample(scan, make_mask("gaussian", scan.shape, 4, 0.0, seed=2)), 0.2), "points"


def test_two_sets_win_only_where_the_field_of_view_wraps():
    inside = {"border": 0.8, "second_border": 0.03}
    assert winner({ONE: verdict(2.0), TWO: verdict(1.0, **WRAPPED)}, ONE) == TWO
    assert winner({ONE: verdict(2.0), TWO: verdict(1.0, **inside)}, ONE) == ONE
    assert winner({ONE: verdict(2.0), TWO: verdict(1.0, **inside), NINE: verdict(1.7)}, ONE) == NINE


def test_two_sets_that_are_preferred_lose_only_if_they_are_far_worse():
    assert winner({ONE: verdict(1.6), TWO: verdict(2.0, **WRAPPED)}, TWO) == TWO
    assert winner({ONE: verdict(1.4), TWO: verdict(2.0, **WRAPPED)}, TWO) == ONE


def test_of_several_starts_with_two_sets_a_smaller_error_wins():
    assert winner({TWO: verdict(2.0, **WRAPPED), NINE_TWO: verdict(1.9, **WRAPPED)}, TWO) == NINE_TWO
    assert winner({TWO: verdict(2.0, **WRAPPED), NINE_TWO: verdict(1.97, **WRAPPED)}, TWO) == TWO


def test_a_run_that_diverged_never_wins():
    assert winner({ONE: verdict(math.inf), TWO: verdict(9.0)}, ONE) == TWO


def test_the_unexplained_share_is_that_beyond_noise():
    assert unexplained({ONE: verdict(1.0)}, 5.0) == 0
    assert unexplained({ONE: verdict(5.0), NINE: verdict(3.0)}, 5.0) == pytest.approx(math.sqrt(8 / 24))
    assert unexplained({ONE: verdict(1.9)}, 1.9) == 0, "there is too little signal to say"


def test_much_may_stay_unexplained_where_there_is_little_signal():
    assert explained(0.4, signal=9.0, noise=1.0)
    assert not explained(0.6, signal=9.0, noise=1.0)
    assert explained(0.7, signal=2.5, noise=1.0)
    assert not explained(1.0, signal=2.5, noise=1.0)


def test_a_residual_above_the_noise_does_not_fit():
    assert fits(1.1, 0.3, lines=True)
    assert not fits(1.3, 0.3, lines=True)
    assert not fits(1.3, 0.0, lines=True), "too little signal to predict anything"
    assert fits(1.3, 0.05, lines=True), "what was left out is predicted"
    assert fits(1.3, 0.3, lines=False), "trials with points end before they meet the noise"
    assert not fits(1.5, 0.3, lines=False)


def test_other_starts_are_tried_where_the_usual_one_is_newton(head):
    thin, middling = lines_of(head, 0.05), lines_of(head, 0.1)
    assert other_starts(thin, CoilStart.NEWTON) == ("newton-9",)
    assert other_starts(middling, CoilStart.NEWTON) == ("newton-9", "calibrated")
    assert other_starts(middling, CoilStart.LOW_PASS) == ()
    assert last_resorts(thin, CoilStart.NEWTON) == ((0.1, "newton-smooth"),)
    assert last_resorts(middling, CoilStart.NEWTON) == ((0.1, "newton-smooth"), (0.2, "calibrated-coil"))
    assert last_resorts(middling, CoilStart.LOW_PASS)[0] == (0.2, "newton-smooth")


def test_with_two_sets_newton_is_tried_beside_low_pass_and_more_steps_beside_newton():
    assert other_starts_of_two(CoilStart.LOW_PASS) == ("newton",)
    assert other_starts_of_two(CoilStart.NEWTON) == ("newton-9",)
    assert other_starts_of_two(CoilStart.ZERO_FILLED) == ()


def test_a_residual_that_is_larger_near_the_middle_is_not_white():
    assert white(0.0)
    assert white(1.12)
    assert not white(1.17)


def test_newton_needs_no_margin_against_low_pass_coils_of_two_sets():
    low = Contender(2, CoilStart.LOW_PASS)
    assert winner({low: verdict(2.0, **WRAPPED), TWO: verdict(1.99, **WRAPPED)}, low) == TWO
    assert winner({low: verdict(1.99, **WRAPPED), TWO: verdict(2.0, **WRAPPED)}, low) == low


def test_smoother_coils_of_two_sets_must_predict_five_per_cent_better():
    smooth = TWO.smoother
    assert (smooth.smoothing, smooth.name) == (3, "newton, 2 sets, smoothing x 3")
    assert winner({TWO: verdict(2.0, **WRAPPED), smooth: verdict(1.88, **WRAPPED)}, TWO) == smooth
    assert winner({TWO: verdict(2.0, **WRAPPED), smooth: verdict(1.92, **WRAPPED)}, TWO) == TWO


def test_smoother_coils_of_one_set_must_predict_better_or_as_well_with_less_of_the_noise_fitted():
    smooth = ONE.smoother
    assert (smooth.smoothing, smooth.name) == (10, "newton, smoothing x 10")
    assert winner({ONE: verdict(2.0), smooth: verdict(1.97)}, ONE) == smooth
    assert winner({ONE: verdict(2.0), smooth: verdict(1.99)}, ONE) == ONE
    assert winner({ONE: verdict(2.0), smooth: Verdict(1.99, 1.0, 1.02)}, ONE) == smooth
    assert winner({ONE: verdict(2.0), smooth: Verdict(2.01, 1.0, 1.1)}, ONE) == ONE, "predicts worse"


def test_smoothing_grows_as_pixels_become_larger():
    assert smoothing_for((224, 224), 100.0) == 100
    assert smoothing_for((112, 112), 100.0) == 400
    assert smoothing_for((512, 512), 100.0) == 100
    assert smoothing_for((112, 70), 100.0) == 400, "a field of view that is cut short has no smoother coils"
