"""Every rule on small scans: what is chosen, what is reported, and what is left alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import Cancelled
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.coils.given import CoilMaps
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.choices import choose as choosing
from napari_pogmdm.recon.sampler.choices.choices import INCONSISTENT
from napari_pogmdm.recon.sampler.choices.choose import choose, forget, settled
from napari_pogmdm.recon.sampler.choices.trial import Verdict, rms
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.runs.repeat import repeat
from recon.sampler.choices.small_scans import SHAPE, images_of, kspace_of, lines_of, scan_of

DEFAULT = preset("default")
COLUMNS = np.arange(SHAPE[1])


def test_an_ordinary_scan_keeps_the_usual_start_and_one_set(prior, head):
    found = choose(lines_of(head), prior, DEFAULT)
    assert (found.map_sets, found.coil_start) == (1, "low-pass")
    assert list(found.verdicts) == ["low-pass", "low-pass, smoothing x 10"], "nothing reaches the border"
    assert found.consistent
    assert len(found.words) == 1


@pytest.mark.slow
def test_a_wrapped_field_of_view_gets_two_sets(prior, wrapped):
    for settings in (DEFAULT, preset("fast")):
        found = choose(lines_of(wrapped), prior, settings)
        assert found.map_sets == 2
        assert found.wraps
        assert found.consistent
        assert found.words[0].startswith("the field of view wraps: two map sets")


def test_other_starts_are_judged_where_the_centre_is_thin(prior, head):
    found = choose(lines_of(head, 0.1), prior, DEFAULT)
    assert list(found.verdicts)[1:3] == ["newton-9", "calibrated"]
    one = replace(DEFAULT, choose="quick")
    assert not choose(lines_of(head, 0.1), prior, one).verdicts


@pytest.mark.parametrize(("error", "chosen"), [(1.0, "newton-9"), (1.9, "newton")])
def test_a_start_wins_by_what_it_predicts(prior, head, monkeypatch, error, chosen):
    tried = []

    def trial(held, prior, settings, coils, cancelled):
        tried.append(settings)
        return Verdict(error if len(tried) == 2 else 2.0, 1.0, 1.0)

    monkeypatch.setattr(choosing, "run_trial", trial)
    assert choose(lines_of(head, 0.05), prior, DEFAULT).coil_start == chosen
    assert [settings.map_sets for settings in tried] == [1, 1, 1]
    assert all(settings.choose == "none" for settings in tried)


def test_two_sets_are_tried_where_the_object_reaches_the_border_alone(prior, head, monkeypatch):
    for border, tried in ((0.3, []), (0.45, ["newton, 2 sets"])):
        monkeypatch.setattr(choosing, "_known", {})
        monkeypatch.setattr(choosing, "run_trial", lambda *_, border=border: Verdict(2.0, 1.0, 1.0, border))
        names = list(choose(lines_of(head, 0.05), prior, DEFAULT).verdicts)
        assert names == ["newton", *tried, "newton-9", "newton, smoothing x 10"]


@pytest.mark.parametrize(
    ("share", "tried"), [(0.5, ["newton-smooth", "calibrated-coil"]), (0.15, ["newton-smooth"]), (0.05, [])]
)
def test_last_resorts_are_tried_where_much_stays_unexplained(prior, head, monkeypatch, share, tried):
    def trial(held, prior, settings, coils, cancelled):
        left_out = held.kspace[held.measured & ~held.fitted]
        return Verdict(share * rms(left_out), 1e-6, 1e-6)

    monkeypatch.setattr(choosing, "run_trial", trial)
    assert list(choose(lines_of(head, 0.1), prior, DEFAULT).verdicts)[3:-1] == tried


def test_other_starts_of_two_sets_are_tried_where_the_field_of_view_wraps(prior, wrapped, monkeypatch):
    def trial(held, prior, settings, coils, cancelled):
        assert coils.ndim == 2 + settings.map_sets
        often = 1 if settings.map_sets > 1 else preset("fast").coil_interval
        assert settings.coil_interval == often, "a second set is found by its coils alone"
        return Verdict(2.0, 1.0, 1.0, border=0.8, second_border=0.3)

    monkeypatch.setattr(choosing, "run_trial", trial)
    found = choose(lines_of(wrapped), prior, DEFAULT)
    smoother = "newton, 2 sets, smoothing x 3"
    assert list(found.verdicts) == ["newton", "newton, 2 sets", "newton-9, 2 sets", smoother]
    assert (found.map_sets, found.coil_start) == (2, "newton")
    assert list(choose(lines_of(wrapped), prior, preset("fast")).verdicts) == ["newton", "newton, 2 sets"]


@pytest.mark.parametrize(("centre", "error", "vague"), [(0.05, 2.0, True), (0.05, 1.0, False), (0.2, 2.0, False)])
def test_two_sets_of_few_lines_are_vague_where_they_predict_badly(prior, wrapped, monkeypatch, centre, error, vague):
    """Signal is 5 times the noise: an error of 2 leaves a third of it unexplained, one of 1 nothing."""

    def trial(held, prior, settings, coils, cancelled):
        noise = rms(held.kspace[held.measured & ~held.fitted]) / 5
        return Verdict(error * noise, noise, noise, border=0.8, second_border=0.3)

    monkeypatch.setattr(choosing, "run_trial", trial)
    found = choose(lines_of(wrapped, centre), prior, DEFAULT)
    assert found.map_sets == 2
    assert found.vague == vague


def test_a_quick_choice_tries_nothing_where_the_border_is_dark(prior, head, wrapped):
    found = choose(lines_of(head), prior, preset("fast"))
    assert (found.map_sets, found.coil_start) == (1, "low-pass")
    assert not found.verdicts
    assert found.words == ("one map set: the object does not reach the border of the field of view.",)
    shots = np.where(COLUMNS % 2 == 1, head * np.exp(1j), head)
    assert choose(lines_of(shots), prior, preset("fast")).words[-1] == INCONSISTENT
    assert list(choose(lines_of(wrapped), prior, preset("fast")).verdicts) == ["newton", "newton, 2 sets"]


def test_a_known_noise_is_scaled_like_the_data(prior, head, monkeypatch):
    seen = []

    def trial(held, prior, settings, coils, cancelled):
        seen.append((held.scale, settings.data_noise))
        return Verdict(2.0, 1.0, 1.0)

    monkeypatch.setattr(choosing, "run_trial", trial)
    measurement = lines_of(head)
    choose(measurement, prior, replace(DEFAULT, data_noise=0.01))
    assert seen[0][1] * seen[0][0] == pytest.approx(0.01 * measurement.scale)


@pytest.mark.slow
def test_smoothing_is_scaled_to_the_image_in_full_alone(prior, head, wrapped):
    scale = (224 / max(SHAPE)) ** 2
    assert choose(lines_of(head), prior, DEFAULT).coil_smoothing == pytest.approx(scale * DEFAULT.coil_smoothing)
    assert choose(lines_of(head), prior, preset("fast")).coil_smoothing == preset("fast").coil_smoothing
    assert choose(lines_of(wrapped), prior, DEFAULT).coil_smoothing == pytest.approx(scale * DEFAULT.coil_smoothing)


@pytest.mark.parametrize(("error", "factor"), [(1.0, 3.0), (1.95, 1.0)])
def test_two_sets_in_few_pixels_get_smoother_coils_where_these_predict_better(
    prior, wrapped, monkeypatch, error, factor
):
    smoothings = []

    def trial(held, prior, settings, coils, cancelled):
        smoothings.append(settings.coil_smoothing)
        return Verdict(error if len(smoothings) == 4 else 2.0, 1.0, 1.0, border=0.8, second_border=0.3)

    monkeypatch.setattr(choosing, "run_trial", trial)
    found = choose(lines_of(wrapped), prior, DEFAULT)
    assert smoothings[3] == pytest.approx(3 * smoothings[2])
    assert found.coil_smoothing == pytest.approx(factor * (224 / max(SHAPE)) ** 2 * DEFAULT.coil_smoothing)
    forget()
    monkeypatch.setattr(choosing, "USUAL_SIDE", max(SHAPE))
    assert len(choose(lines_of(wrapped), prior, DEFAULT).verdicts) == 3, "many pixels have the smoothing of the preset"


@pytest.mark.parametrize(("error", "factor"), [(1.9, 10.0), (1.99, 1.0)])
def test_one_set_in_few_pixels_gets_smoother_coils_where_these_predict_better(prior, head, monkeypatch, error, factor):
    smoothings = []

    def trial(held, prior, settings, coils, cancelled):
        smoothings.append(settings.coil_smoothing)
        return Verdict(error if len(smoothings) == 2 else 2.0, 1.0, 1.0)

    monkeypatch.setattr(choosing, "run_trial", trial)
    found = choose(lines_of(head), prior, DEFAULT)
    assert smoothings[1] == pytest.approx(10 * smoothings[0])
    assert found.coil_smoothing == pytest.approx(factor * (224 / max(SHAPE)) ** 2 * DEFAULT.coil_smoothing)
    forget()
    assert len(choose(lines_of(head), prior, replace(DEFAULT, coil_start="low-pass")).verdicts) == 1, "coils were said"
    monkeypatch.setattr(choosing, "USUAL_SIDE", max(SHAPE))
    assert len(choose(lines_of(head), prior, DEFAULT).verdicts) == 1, "many pixels have the smoothing of the preset"


def test_explicit_values_win(prior, head, wrapped):
    one = choose(lines_of(wrapped), prior, replace(DEFAULT, map_sets=1))
    assert one.map_sets == 1
    start = choose(lines_of(head, 0.1), prior, replace(DEFAULT, coil_start="zero-filled"))
    assert start.coil_start == "zero-filled"
    both = choose(lines_of(head), prior, replace(DEFAULT, coil_start="newton", map_sets=2))
    assert (both.map_sets, both.coil_start) == (2, "newton")
    assert not both.verdicts


def test_without_choosing_everything_is_as_it_was(prior, wrapped):
    measurement = lines_of(wrapped)
    settings = replace(DEFAULT, iterations=3, choose="none")
    request = settled(RunRequest(measurement, prior, settings))
    assert request.settings == replace(settings, map_sets=1)
    assert request.choices is None
    result = reconstruct(measurement, model=prior, preset=settings)
    assert result.choices == {}
    np.testing.assert_array_equal(
        result.image, reconstruct(measurement, model=prior, preset=replace(settings, map_sets=1)).image
    )


def test_what_cannot_be_judged_is_left_alone(prior, head):
    one_coil = lines_of(head[:1])
    maps = CoilMaps(np.ones(head.shape, np.complex64), "maps.npy")
    for request in (
        RunRequest(one_coil, prior, DEFAULT),
        RunRequest(lines_of(head), prior, DEFAULT, maps=maps),
        RunRequest(lines_of(head), prior, replace(preset("paper"), choose="full", map_sets=0)),
    ):
        found = settled(request)
        assert found.choices is None
        assert (found.settings.map_sets, found.settings.choose) == (1, "none")
    everything = undersample(scan_of(head), Mask(np.ones(SHAPE, dtype=bool)))
    assert not choose(everything, prior, DEFAULT).verdicts


def test_the_same_data_are_asked_once(prior, head, monkeypatch):
    first = choose(lines_of(head), prior, DEFAULT)

    def never(*_):
        raise AssertionError("it was known already")

    monkeypatch.setattr(choosing, "run_trial", never)
    assert choose(lines_of(head), prior, DEFAULT) is first
    assert choose(lines_of(head), prior, replace(DEFAULT, iterations=3, prior_weight=0.8)) is first
    for settings in (replace(DEFAULT, coil_smoothing=90.0), replace(DEFAULT, data_noise=0.01)):
        with pytest.raises(AssertionError, match="known already"):
            choose(lines_of(head), prior, settings)
    with pytest.raises(AssertionError, match="known already"):
        choose(lines_of(2 * head + head.conj()), prior, DEFAULT)


def test_what_was_chosen_can_be_forgotten(prior, head):
    first = choose(lines_of(head), prior, DEFAULT)
    forget()
    again = choose(lines_of(head), prior, DEFAULT)
    assert again is not first
    assert again.verdicts == first.verdicts


def test_only_the_latest_choices_are_kept(prior, head, monkeypatch):
    monkeypatch.setattr(choosing, "_KEPT", 2)
    monkeypatch.setattr(choosing, "run_trial", lambda *_: Verdict(2.0, 1.0, 1.0))
    for noise in (0.01, 0.02, 0.03):
        choose(lines_of(head), prior, replace(DEFAULT, data_noise=noise))
    assert len(choosing._known) == 2


def test_choosing_can_be_cancelled_and_is_not_kept(prior, head):
    with pytest.raises(Cancelled):
        choose(lines_of(head), prior, DEFAULT, lambda: True)
    assert not choosing._known


def test_the_record_tells_and_repeats_the_choice(prior, fastmri_file):
    scan = open_scan(str(fastmri_file()))[0]
    measurement = undersample(scan, make_mask("cartesian", scan.shape, 2, 0.1))
    result = reconstruct(measurement, model=prior, preset=replace(preset("fast"), iterations=2, choose="full"))
    told = result.record.sampler["choices"]
    assert told["asked"] == "full"
    assert set(told["errors"]) >= {"newton", "newton-9"}
    assert result.choices["words"] == told["words"]
    assert (result.record.settings["map_sets"], result.record.settings["choose"]) == (told["map_sets"], "none")
    assert result.record.sampler["coil_start"] == told["coil_start"]
    np.testing.assert_array_equal(repeat(result.record).image, result.image)


def turned(kspace: np.ndarray, degrees: float) -> np.ndarray:
    from scipy.ndimage import rotate

    images = images_of(kspace)
    parts = [rotate(part, degrees, axes=(1, 2), reshape=False, order=1) for part in (images.real, images.imag)]
    return kspace_of((parts[0] + 1j * parts[1]).astype(np.complex64))


def moved(kspace: np.ndarray, pixels: int) -> np.ndarray:
    return kspace_of(np.roll(images_of(kspace), pixels, axis=1))


LATE = np.random.default_rng(0).random(SHAPE[1]) < 0.5
FAULTS = {
    "two shots, 1 rad apart": lambda kspace: np.where(COLUMNS % 2 == 1, kspace * np.exp(1j), kspace),
    "two shots, 2 rad apart": lambda kspace: np.where(COLUMNS % 2 == 1, kspace * np.exp(2j), kspace),
    "a phase for every line": lambda kspace: kspace * np.exp(1j * np.random.default_rng(1).normal(0, 1, SHAPE[1])),
    "half of the lines moved": lambda kspace: np.where(LATE, moved(kspace, 4), kspace),
    "half of the lines turned": lambda kspace: np.where(LATE, turned(kspace, 5), kspace),
    "centre in the corner": lambda kspace: np.fft.ifftshift(kspace, axes=(1, 2)),
    "rows transformed already": lambda kspace: np.fft.fftshift(np.fft.ifft(kspace, axis=1, norm="ortho"), axes=1),
    "lines in another order": lambda kspace: kspace[:, :, np.random.default_rng(2).permutation(SHAPE[1])],
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_data_that_do_not_fit_are_reported(prior, head, fault):
    assert choose(lines_of(FAULTS[fault](head)), prior, DEFAULT).words[1:] == (INCONSISTENT,)


def test_swapped_axes_are_reported(prior):
    image = shepp_logan((64, 96)) * np.exp(1j * smooth_phase((64, 96), np.random.default_rng(0)))
    kspace = simulate_scan(image, coils=16, noise=0.005).kspace
    swapped = scan_of(kspace.transpose(1, 0, 2))
    measurement = undersample(swapped, make_mask("cartesian", swapped.shape, 3, 0.2), coils=8)
    assert choose(measurement, prior, DEFAULT).words[1:] == (INCONSISTENT,)


@pytest.mark.slow
@pytest.mark.parametrize(("coils", "noise", "centre"), [(4, 0.002, 0.2), (4, 0.03, 0.2), (12, 0.01, 0.1)])
def test_nothing_is_reported_of_data_that_fit(prior, coils, noise, centre):
    image = shepp_logan(SHAPE) * np.exp(1j * smooth_phase(SHAPE, np.random.default_rng(5)))
    measurement = lines_of(simulate_scan(image, coils=coils, noise=noise, seed=6).kspace, centre)
    assert choose(measurement, prior, DEFAULT).consistent
