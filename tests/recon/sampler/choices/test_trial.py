from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.recon.coils.left_out import leave_out
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.sampler.choices.trial import Verdict, run_trial
from napari_pogmdm.recon.sampler.presets import preset
from recon.sampler.choices.small_scans import lines_of

SETTINGS = replace(preset("fast"), iterations=6, map_sets=1, choose="none")


def test_right_coils_predict_what_was_left_out_almost_to_the_noise(prior, head):
    held = leave_out(lines_of(head))
    good = run_trial(held, prior, SETTINGS, starting_coils(held, "low-pass"))
    assert good.noise < good.error < 2.5 * good.noise
    assert good.second == 0
    assert good.border < 0.1
    turned = starting_coils(held, "low-pass").flip(0)
    assert run_trial(held, prior, replace(SETTINGS, update_coils=False), turned).error > 3 * good.error


def test_left_out_samples_are_not_seen(prior, head):
    held = leave_out(lines_of(head))
    coils = starting_coils(held, "low-pass")
    assert held.left_out is not None
    spoiled = replace(held, kspace=torch.where(held.left_out, 7.0, held.kspace))
    before, after = (run_trial(one, prior, SETTINGS, coils) for one in (held, spoiled))
    assert before.residual == pytest.approx(after.residual, rel=1e-5)
    assert after.error > 4


def test_a_wrapped_field_of_view_has_a_bright_border_and_a_second_image(prior, wrapped):
    held = leave_out(lines_of(wrapped))
    found = run_trial(held, prior, replace(SETTINGS, map_sets=2), starting_coils(held, "newton"))
    assert found.border > 0.5
    assert found.second > 0
    assert found.wraps


def test_ghosts_of_everything_are_no_wrapped_field_of_view():
    assert Verdict(1, 1, 1, second=0.01, border=0.7).wraps
    assert not Verdict(1, 1, 1, second=0.05, border=0.7).wraps
    assert not Verdict(1, 1, 1, second=0.01, border=0.3).wraps


def test_a_run_that_diverges_has_an_infinite_error(prior, head):
    held = leave_out(lines_of(head))
    coils = starting_coils(held, "low-pass").clone()
    coils[0, 0, 0] = math.nan
    assert math.isinf(run_trial(held, prior, SETTINGS, coils).error)


def test_a_trial_can_be_cancelled(prior, head):
    held = leave_out(lines_of(head))
    coils = starting_coils(held, "low-pass")
    with pytest.raises(Cancelled):
        run_trial(held, prior, SETTINGS, coils, lambda: True)
