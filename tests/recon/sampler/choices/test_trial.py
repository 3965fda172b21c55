from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.recon.coils.left_out import leave_out
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.sampler.algorithms.map_sets import more_sets
from napari_pogmdm.recon.sampler.choices import trial
from napari_pogmdm.recon.sampler.choices.trial import Verdict, run_trial
from napari_pogmdm.recon.sampler.presets import preset
from recon.sampler.choices.small_scans import images_of, kspace_of, lines_of

SETTINGS = replace(preset("fast"), iterations=6, map_sets=1, choose="none")
TWO_SETS = replace(SETTINGS, iterations=10, map_sets=2, coil_interval=1)


def test_right_coils_predict_what_was_left_out_almost_to_the_noise(prior, head):
    held = leave_out(lines_of(head))
    good = run_trial(held, prior, SETTINGS, starting_coils(held, "low-pass"))
    assert good.noise < good.error < 2.5 * good.noise
    assert good.second_border == 0
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


def test_what_a_wrong_model_leaves_is_larger_near_the_middle_of_kspace(prior, head, monkeypatch):
    held, settings = leave_out(lines_of(head)), replace(SETTINGS, iterations=10)
    assert run_trial(held, prior, settings, starting_coils(held, "low-pass")).colour < 1
    late = np.random.default_rng(0).random(head.shape[2]) < 0.5
    moved = leave_out(lines_of(np.where(late, kspace_of(np.roll(images_of(head), 4, axis=1)), head)))
    assert run_trial(moved, prior, settings, starting_coils(moved, "low-pass")).colour > 1.15
    monkeypatch.setattr(trial, "_FEWEST", 10**6)
    assert run_trial(moved, prior, settings, starting_coils(moved, "low-pass")).colour == 0, "too few samples to tell"


def second_set(held, count=2):
    coils = starting_coils(held, "newton")
    return more_sets(to_image(held.kspace * held.fitted), coils, count, 4)


def test_a_wrapped_field_of_view_has_a_second_image_at_its_border(prior, wrapped):
    held = leave_out(lines_of(wrapped))
    found = run_trial(held, prior, TWO_SETS, second_set(held))
    assert found.second_border > 0.15
    assert found.wraps


def test_an_object_that_only_reaches_the_border_has_none(prior, head):
    narrow = np.ascontiguousarray(images_of(head)[:, :, 14:82])  # as wide as the head
    held = leave_out(lines_of(kspace_of(narrow)))
    found = run_trial(held, prior, TWO_SETS, second_set(held))
    assert found.border > 0.5
    assert found.second_border < 0.08
    assert not found.wraps


def test_a_field_of_view_wraps_where_both_images_are_bright_at_the_border():
    assert Verdict(1, 1, 1, border=0.7, second_border=0.2).wraps
    assert not Verdict(1, 1, 1, border=0.7, second_border=0.05).wraps
    assert not Verdict(1, 1, 1, border=0.45, second_border=0.2).wraps
    assert Verdict(1, 1, 1, border=0.45).reaches_border
    assert not Verdict(1, 1, 1, border=0.3).reaches_border


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
