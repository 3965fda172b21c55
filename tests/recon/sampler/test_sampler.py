from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan, simulated_coils
from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_kspace
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.mask_recipe import MaskRecipe
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import compare
from napari_pogmdm.recon.sampler.algorithms import make_sampler, noise_schedule
from napari_pogmdm.recon.sampler.presets import PRESETS, preset
from napari_pogmdm.recon.sampler.schedule import noise_level, noise_levels
from napari_pogmdm.recon.sampler.settings import LIVE_SETTINGS, SamplerSettings
from napari_pogmdm.recon.sampler.state import Diverged
from napari_pogmdm.recon.sampler.state_file import load_state, save_state
from napari_pogmdm.recon.stepper import run

SHAPE = (18, 16)


@pytest.fixture(scope="module")
def prior():
    return load_prior("flf-tc")


@pytest.fixture(scope="module")
def small() -> Measurement:
    image = shepp_logan(SHAPE) * np.exp(1j * smooth_phase(SHAPE, np.random.default_rng(0)))
    return undersample(simulate_scan(image, coils=3, noise=0.01), make_mask("cartesian", SHAPE, 2, 0.25, seed=1))


@pytest.fixture(scope="module")
def head():
    image = shepp_logan((96, 80)) * np.exp(1j * smooth_phase((96, 80), np.random.default_rng(0)))
    scan = simulate_scan(image, coils=6, noise=0.01, seed=2)
    return scan, undersample(scan, make_mask("cartesian", (96, 80), 3, 0.2, seed=3))


def test_the_schedule_has_the_papers_levels():
    assert noise_level(0.0) == pytest.approx(0.001)
    assert noise_level(0.2) == pytest.approx(0.48897, abs=1e-5)
    assert noise_level(1.0) == pytest.approx(10)
    levels = noise_levels(1000, 0.2)
    assert len(levels) == 201
    assert sum(level < 0.05 for level in levels) == 105
    assert noise_schedule(PRESETS["paper"])[0] == pytest.approx(0.48897, abs=1e-5)
    assert noise_schedule(PRESETS["paper"])[-1] == pytest.approx(0.001)


def test_the_start_is_the_zero_filled_image_with_the_noise_of_the_first_level(prior, small):
    sampler = make_sampler(small, prior, PRESETS["paper"], seeds=(5, 6))
    state = sampler.start()
    torch.testing.assert_close(root_sum_of_squares(state.coils), torch.ones(2, *SHAPE))
    clean = sampler._zero_filled.abs().square().sum(dim=0).sqrt()
    noise = state.image - clean
    assert float(noise.real.std()) == pytest.approx(0.489, rel=0.1)
    assert float(noise.imag.std()) == pytest.approx(0.489, rel=0.1)


@pytest.mark.parametrize("name", list(PRESETS))
def test_chains_are_the_same_alone_and_side_by_side(prior, small, name):
    settings = replace(preset(name), iterations=20, injected_noise=0.5, coil_start="low-pass")
    together, _ = run(make_sampler(small, prior, settings, seeds=(3, 4, 5)))
    alone, _ = run(make_sampler(small, prior, settings, seeds=(4,)))
    torch.testing.assert_close(together.image[1], alone.image[0], rtol=1e-3, atol=1e-4)
    assert not torch.allclose(together.image[0], together.image[1])


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_saved_run_goes_on_bit_by_bit(prior, small, name, tmp_path: Path):
    settings = replace(preset(name), iterations=20, injected_noise=0.3)
    sampler = make_sampler(small, prior, settings, seeds=(1, 2))
    state = sampler.substep(sampler.step(sampler.start()))
    save_state(state, tmp_path / "state.safetensors")
    resumed = load_state(tmp_path / "state.safetensors")
    fresh = make_sampler(small, prior, settings, seeds=(1, 2))
    for _ in range(2):
        state, resumed = sampler.step(state), fresh.step(resumed)
    assert torch.equal(state.image, resumed.image)
    assert torch.equal(state.coils, resumed.coils)
    assert state.iteration == resumed.iteration
    (tmp_path / "bad").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a readable sampler state"):
        load_state(tmp_path / "bad")


def test_a_step_changes_no_earlier_state(prior, small):
    sampler = make_sampler(small, prior, preset("default"))
    first = sampler.step(sampler.start())
    before = first.image.clone()
    sampler.step(first)
    assert torch.equal(first.image, before)


def test_presets_beat_the_classical_methods_on_a_phantom(prior, head):
    scan, measurement = head
    reference = reference_image(scan)
    assert reference is not None
    psnr = {
        name: compare(reference, reconstruct(measurement, model=prior, preset=preset(name)).image).psnr
        for name in ("default", "fast")
    }
    classical = compare(reference, reconstruct(measurement, "cg-sense").image).psnr
    assert psnr["default"] > classical + 2
    assert psnr["fast"] > classical + 2


def test_renormalising_keeps_coils_at_unit_sum_and_the_product_unchanged(prior, head):
    _, measurement = head
    settings = replace(preset("default"), iterations=5)
    state = make_sampler(measurement, prior, settings).step(make_sampler(measurement, prior, settings).start())
    torch.testing.assert_close(root_sum_of_squares(state.coils), torch.ones(1, 96, 80), rtol=1e-4, atol=1e-4)
    plain = replace(settings, renormalise=False)
    other = make_sampler(measurement, prior, plain).step(make_sampler(measurement, prior, plain).start())
    torch.testing.assert_close(
        state.image[:, None] * state.coils, other.image[:, None] * other.coils, rtol=1e-3, atol=1e-4
    )


def test_known_coils_stay_as_they_are(prior, head):
    scan, measurement = head
    coils = torch.from_numpy(simulated_coils(6, (96, 80)))
    settings = replace(preset("fast"), update_coils=False)
    state, _ = run(make_sampler(measurement, prior, settings, coils=coils))
    assert torch.equal(state.coils[0], coils)
    reference = reference_image(scan)
    assert reference is not None
    image = (state.image[0].abs() * measurement.scale).numpy()
    assert compare(reference, image).psnr > compare(reference, reconstruct(measurement, "zero-filled").image).psnr + 5


@pytest.mark.parametrize("name", list(PRESETS))
def test_single_coil_images_stay_real(prior, name):
    image = shepp_logan((48, 40))
    measurement = undersample(simulate_scan(image, coils=1, noise=0.02), make_mask("radial", (48, 40), 3))
    settings = replace(preset(name), real_image=True, update_coils=False, iterations=40)
    state, _ = run(make_sampler(measurement, prior, settings))
    assert not state.image.is_complex()
    assert torch.equal(state.coils[0].abs(), torch.ones(1, 48, 40))


def test_a_diverging_run_says_which_setting_to_change_and_keeps_the_last_good_state(prior, small):
    sampler = make_sampler(small, prior, replace(PRESETS["paper"], data_step=50.0, iterations=100))
    with pytest.raises(Diverged, match=r"iteration \d+; lower corrector_ratio, data_step or coil_step") as caught:
        run(sampler)
    assert torch.isfinite(torch.view_as_real(caught.value.state.image)).all()


def test_coils_that_explode_are_caught_before_they_reach_the_image(prior, small):
    sampler = make_sampler(small, prior, replace(PRESETS["paper"], coil_step=1e3, coil_smoothing=0.0, iterations=100))
    with pytest.raises(Diverged, match="lower corrector_ratio, data_step or coil_step") as caught:
        run(sampler)
    state = caught.value.state
    assert torch.isfinite(torch.view_as_real(state.coils)).all()
    assert torch.isfinite(torch.view_as_real(state.image)).all()


def test_a_value_that_is_not_a_number_is_caught_in_its_substep(prior, small, monkeypatch):
    sampler = make_sampler(small, prior, preset("default"))
    first = sampler.substep(sampler.start())
    monkeypatch.setattr(sampler, "data", lambda state: replace(state, coils=state.coils * float("nan")))
    with pytest.raises(Diverged, match="iteration 1; lower momentum") as caught:
        sampler.substep(first)
    assert caught.value.state is first


@pytest.mark.parametrize("code", ["C4/8", "C4/8r", "C4/2", "R11", "G8"])
@pytest.mark.parametrize("name", ["default", "fast"])
def test_no_mask_makes_a_small_scan_of_many_coils_fail(prior, code, name):
    """Thin centres, centres that are not fully sampled, and 96 x 96 pixels with 16 coils."""
    image = shepp_logan((96, 96)) * np.exp(1j * smooth_phase((96, 96), np.random.default_rng(0)))
    scan = simulate_scan(image, coils=16, noise=0.01, seed=4)
    measurement = undersample(scan, MaskRecipe.from_code(code).make_for((96, 96)), coils=8)
    settings = replace(preset(name), iterations=6)
    reference = reference_image(scan)
    assert reference is not None
    ours = compare(reference, reconstruct(measurement, model=prior, preset=settings).image).psnr
    assert ours > compare(reference, reconstruct(measurement, "zero-filled").image).psnr + 1


def test_espirit_maps_may_be_kept(prior, head):
    pytest.importorskip("sigpy")
    _, measurement = head
    settings = replace(preset("fast"), coil_start="espirit", update_coils=False)
    sampler = make_sampler(measurement, prior, settings)
    state, _ = run(sampler)
    assert sampler.plan == ("denoise", "data")
    assert torch.equal(state.coils[0], sampler.start().coils[0])
    assert sampler.misfit(state) < 0.1


def test_more_iterations_do_not_wear_out_the_coils(prior, head):
    scan, measurement = head
    reference = reference_image(scan)
    assert reference is not None
    psnr = [
        compare(
            reference, reconstruct(measurement, model=prior, preset=replace(preset("default"), iterations=count)).image
        ).psnr
        for count in (20, 80)
    ]
    assert psnr[1] > psnr[0] - 0.5


def test_the_last_step_may_be_a_denoised_one(prior, small):
    settings = replace(preset("fast"), iterations=3)
    plain, _ = run(make_sampler(small, prior, settings))
    sampler = make_sampler(small, prior, replace(settings, final_denoise=True))
    denoised, _ = run(sampler)
    torch.testing.assert_close(denoised.image, sampler.tweedie(plain))


def test_divergence_names_the_settings_of_the_algorithm_that_ran(prior, small):
    sampler = make_sampler(small, prior, preset("fast"))
    sampler._bound = 1e-9
    with pytest.raises(Diverged, match="lower momentum") as caught:
        run(sampler)
    copied = pickle.loads(pickle.dumps(caught.value))
    assert str(copied) == str(caught.value)


def test_tweedie_is_closer_to_the_truth_than_the_noisy_iterate(prior, head):
    scan, measurement = head
    reference = reference_image(scan)
    assert reference is not None
    sampler = make_sampler(
        measurement, prior, replace(PRESETS["paper"], iterations=100, renormalise=True, coil_start="auto")
    )
    state = sampler.start()
    for _ in range(8):
        state = sampler.step(state)

    def quality(image: torch.Tensor) -> float:
        return compare(reference, (image.abs()[0] * measurement.scale).numpy()).psnr

    assert quality(sampler.tweedie(state)) > quality(state.image) + 1


def test_noise_is_learnt_from_the_residual(prior, head):
    _, measurement = head
    state, _ = run(make_sampler(measurement, prior, preset("default")))
    assert float(state.data_noise[0]) * measurement.scale == pytest.approx(0.01, rel=0.2)
    fixed = make_sampler(measurement, prior, replace(preset("default"), data_noise=0.05, iterations=3))
    assert float(fixed.step(fixed.start()).data_noise[0]) == pytest.approx(0.05)


def test_settings_survive_json_and_refuse_nonsense():
    settings = replace(preset("default"), coil_smoothing=0.25)
    assert SamplerSettings.from_json(settings.to_json()) == settings
    for text, words in (
        ("{", "not valid JSON"),
        ("[1]", "JSON object"),
        ('{"magic": 1}', "unknown name 'magic'"),
        ('{"iterations": 0}', "from 1 to"),
        ('{"iterations": 2.5}', "whole number"),
        ('{"data_step": "x"}', "not a number"),
        ('{"data_step": NaN}', "not a number"),
        ('{"algorithm": "magic"}', "choose from predictor-corrector"),
        ('{"coil_start": "magic"}', "choose from auto"),
        ('{"smallest_noise": 11.0}', "below largest_noise"),
    ):
        with pytest.raises(InputError, match=words):
            SamplerSettings.from_json(text)
    with pytest.raises(InputError, match="unknown 'turbo'"):
        preset("turbo")


def test_the_paper_preset_is_the_printed_algorithm():
    paper = PRESETS["paper"]
    assert (paper.iterations, paper.start_time, paper.corrector_steps, paper.data_step) == (1000, 0.2, 1, 1.0)
    assert (paper.schedule_power, paper.largest_noise, paper.smallest_noise) == (5.0, 10.0, 0.001)
    assert not paper.renormalise
    assert not paper.final_denoise
    assert paper.coil_start == "zero-filled"


LIVE_CHANGES = {
    "paper": {"corrector_ratio": 0.5, "data_step": 0.5, "coil_step": 0.3, "coil_smoothing": 3.0, "renormalise": True},
    "default": {
        "prior_weight": 2.0,
        "conjugate_gradients": 2,
        "injected_noise": 0.7,
        "turn_images": False,
        "coil_interval": 2,
        "coil_smoothing": 3.0,
    },
}


@pytest.mark.parametrize("name", list(LIVE_CHANGES))
def test_live_settings_change_between_substeps(prior, small, name):
    settings = replace(preset(name), iterations=20, coil_interval=1)
    sampler = make_sampler(small, prior, settings, seeds=(1, 2))
    state = sampler.substep(sampler.step(sampler.start()))
    for field, value in LIVE_CHANGES[name].items():
        assert field in LIVE_SETTINGS
        changed = replace(settings, **{field: value})
        lively = sampler.with_settings(changed)
        assert lively._zero_filled is sampler._zero_filled
        went_on, unchanged = lively.step(lively.step(state)), sampler.step(sampler.step(state))
        afresh = make_sampler(small, prior, changed, seeds=(1, 2))
        expected = afresh.step(afresh.step(state))
        assert torch.equal(went_on.image, expected.image)
        assert torch.equal(went_on.coils, expected.coils)
        assert not torch.equal(went_on.image, unchanged.image), field


def test_other_settings_do_not_change_under_way(prior, small):
    sampler = make_sampler(small, prior, preset("default"))
    for field, value in (("iterations", 7), ("update_coils", False), ("largest_noise", 0.4), ("coil_start", "newton")):
        with pytest.raises(InputError, match=f"{field}: cannot change while a run is under way"):
            sampler.with_settings(replace(preset("default"), **{field: value}))


@pytest.mark.parametrize("name", ["paper", "default"])
def test_coils_rest_between_their_updates(prior, small, name):
    sampler = make_sampler(small, prior, replace(preset(name), iterations=50, coil_interval=3))
    states = [sampler.start()]
    for _ in range(7):
        states.append(sampler.step(states[-1]))
    moved = [not torch.equal(before.coils, after.coils) for before, after in pairwise(states)]
    assert moved == [True, False, False, True, False, False, True]
    assert all(not torch.equal(before.image, after.image) for before, after in pairwise(states))


def test_estimates_are_taken_of_turned_images(prior, small):
    settings = replace(preset("default"), injected_noise=0.0, momentum=0.0, iterations=20)
    sampler = make_sampler(small, prior, settings)
    state = replace(sampler.step(sampler.start()), iteration=4)
    level = sampler.levels[4]
    mirrored = prior.denoise(state.image.flip(-1), level).flip(-1)
    torch.testing.assert_close(sampler.substep(state).image, mirrored)
    straight = make_sampler(small, prior, replace(settings, turn_images=False))
    torch.testing.assert_close(straight.substep(state).image, prior.denoise(state.image, level))
    assert not torch.allclose(mirrored, prior.denoise(state.image, level), atol=1e-4), "the filters are symmetric"


def test_cancelling_is_heard_inside_long_substeps(prior, head):
    _, measurement = head
    with pytest.raises(Cancelled):
        make_sampler(measurement, prior, replace(preset("default"), coil_start="newton"), cancelled=lambda: True)
    asked = []

    def third_time() -> bool:
        asked.append(len(asked))
        return len(asked) == 3

    settings = replace(preset("default"), conjugate_gradients=1000, coil_start="low-pass")
    sampler = make_sampler(measurement, prior, settings, cancelled=third_time)
    with pytest.raises(Cancelled):
        sampler.step(sampler.start())
    assert len(asked) == 3


def test_the_residual_is_what_is_left_of_the_data(prior, small):
    sampler = make_sampler(small, prior, preset("default"), seeds=(1, 2))
    state = sampler.step(sampler.start())
    expected = small.kspace - to_kspace(state.coils[1] * state.image[1]) * small.mask_tensor
    torch.testing.assert_close(sampler.residual_kspace(state, 1), expected, rtol=1e-4, atol=1e-5)
    first = torch.linalg.vector_norm(sampler.residual_kspace(state)) / torch.linalg.vector_norm(small.kspace)
    assert sampler.misfit(state) == pytest.approx(float(first), rel=1e-4)
    assert sampler.misfit(state) < sampler.misfit(sampler.start())
