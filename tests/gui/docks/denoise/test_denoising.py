from __future__ import annotations

import math

import numpy as np
import pytest

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.denoise.denoising import (
    account,
    clean_image,
    denoise_noisy_copy,
    estimate_facts,
    verdict,
)
from napari_pogmdm.prior.weights import load_prior


@pytest.fixture(scope="module")
def prior():
    return load_prior("flf-tc")


@pytest.fixture
def clean():
    return clean_image("phantom", 700 * np.abs(shepp_logan((48, 40))))


def test_an_image_is_normalised_and_says_by_how_much(clean):
    assert clean.image.max() == 1
    assert clean.largest == pytest.approx(700 * np.abs(shepp_logan((48, 40))).max(), rel=1e-6)


@pytest.mark.parametrize("sigma", [0.05, 0.1, 0.2])
def test_the_estimate_is_closer_to_the_truth_than_what_it_was_made_from(clean, prior, sigma):
    found = denoise_noisy_copy(clean, prior, sigma, seed=1)
    assert found.psnr_before == pytest.approx(-20 * math.log10(sigma), abs=0.5)
    assert found.psnr_after > found.psnr_before + 3
    np.testing.assert_allclose(found.estimate, found.noisy + sigma**2 * found.score, atol=1e-6)


def test_several_steps_leave_less_noise_and_say_how_many_they_were(clean, prior):
    once, often = (denoise_noisy_copy(clean, prior, 0.1, seed=1, steps=steps) for steps in (1, 8))
    np.testing.assert_array_equal(often.noisy, once.noisy)
    np.testing.assert_array_equal(often.score, once.score)
    assert often.psnr_after > once.psnr_after + 0.2
    assert estimate_facts(once) == f"E[x₀|xₜ], {once.psnr_after:.1f} dB"
    assert estimate_facts(often) == f"8 steps, {often.psnr_after:.1f} dB"
    assert "48 × 40 pixels, one step, " in account(clean, once)
    assert "48 × 40 pixels, 8 steps, " in account(clean, often)


def test_a_seed_fixes_the_pattern_and_sigma_its_strength(clean, prior):
    weak, strong = (denoise_noisy_copy(clean, prior, sigma, seed=5).noisy - clean.image for sigma in (0.1, 0.2))
    np.testing.assert_allclose(2 * weak, strong, atol=1e-5)
    assert not np.allclose(weak, denoise_noisy_copy(clean, prior, 0.1, seed=6).noisy - clean.image)


def test_without_noise_nothing_is_taken_away(clean, prior):
    found = denoise_noisy_copy(clean, prior, 0.0, seed=0)
    np.testing.assert_array_equal(found.estimate, clean.image)
    assert verdict(found.psnr_before, found.psnr_after) == "no noise: nothing to take away"
    assert estimate_facts(found) == "E[x₀|xₜ]"


def test_the_verdict_tells_both_numbers_and_the_gain():
    assert verdict(20.0, 27.5) == "PSNR 20.00 dB → 27.50 dB (+7.50 dB)"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (np.zeros((3, 8, 8)), "one 2-D image"),
        (np.zeros((8, 8)), "zero everywhere"),
        (np.full((8, 8), np.nan), "NaN"),
        (np.ones((8, 8), dtype=complex), "real numbers"),
        (np.ones((1, 3000)), "crop it"),
    ],
)
def test_what_is_no_image_is_refused_in_one_sentence(data, sentence):
    with pytest.raises(InputError, match=rf"^odd: .*{sentence}"):
        clean_image("odd", data)


def test_noise_beyond_the_slider_is_refused(clean, prior):
    with pytest.raises(InputError, match="sigma"):
        denoise_noisy_copy(clean, prior, 0.7, seed=0)
