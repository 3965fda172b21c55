from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan, simulated_coils
from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.physics.fourier import to_kspace
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.presets import PRESETS, preset
from napari_pogmdm.recon.sampler.settings import LIVE_SETTINGS
from napari_pogmdm.recon.sampler.state import Diverged
from napari_pogmdm.recon.stepper import run


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PRESETS))
def test_chains_are_the_same_alone_and_side_by_side(prior, small, name):
    settings = replace(preset(name), iterations=20, injected_noise=0.5, coil_start="low-pass")
    together, _ = run(make_sampler(small, prior, settings, seeds=(3, 4, 5)))
    alone, _ = run(make_sampler(small, prior, settings, seeds=(4,)))
    torch.testing.assert_close(together.image[1], alone.image[0], rtol=1e-3, atol=1e-4)
    assert not torch.allclose(together.image[0], together.image[1])


def test_a_step_changes_no_earlier_state(prior, small):
    sampler = make_sampler(small, prior, preset("default"))
    first = sampler.step(sampler.start())
    before = first.image.clone()
    sampler.step(first)
    assert torch.equal(first.image, before)


def test_known_coils_stay_as_they_are(prior, head):
    scan, measurement = head
    coils = torch.from_numpy(simulated_coils(6, (96, 80)))
    settings = replace(preset("fast"), update_coils=False)
    state, _ = run(make_sampler(measurement, prior, settings, coils=coils))
    assert torch.equal(state.coils[0], coils)
    reference = reference_image(scan)
    assert reference is not None
    image = (state.image[0].abs() * measurement.scale).numpy()
    assert metrics(reference, image).psnr > metrics(reference, reconstruct(measurement, "zero-filled").image).psnr + 5


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
    with pytest.raises(
        Diverged, match=r"iteration \d+; lower the step ratio \(corrector_ratio\), data_step or coil_step"
    ) as caught:
        run(sampler)
    assert torch.isfinite(torch.view_as_real(caught.value.state.image)).all()


def test_coils_that_explode_are_caught_before_they_reach_the_image(prior, small):
    sampler = make_sampler(small, prior, replace(PRESETS["paper"], coil_step=1e3, coil_smoothing=0.0, iterations=100))
    with pytest.raises(Diverged, match=r"lower the step ratio \(corrector_ratio\), data_step or coil_step") as caught:
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
    expected = small.kspace - to_kspace(state.coils[1] * state.image[1]) * small.measured
    torch.testing.assert_close(sampler.residual_kspace(state, 1), expected, rtol=1e-4, atol=1e-5)
    first = torch.linalg.vector_norm(sampler.residual_kspace(state)) / torch.linalg.vector_norm(small.kspace)
    assert sampler.misfit(state) == pytest.approx(float(first), rel=1e-4)
    assert sampler.misfit(state) < sampler.misfit(sampler.start())
