"""Draws have the mean and the covariance of the Gaussian they claim to come from, against dense matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import Cancelled
from napari_pogmdm.physics.coil_kernels import linearised, linearised_adjoint
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.chains import Chains
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.state import load_state, save_state
from napari_pogmdm.recon.stepper import run

SHAPE = (6, 5)
NOISE, LEVEL, WIDTH = 0.3, 0.5, 1.3
FEW = {"warm_start": False, "relative_levels": False, "iterations": 4, "largest_noise": LEVEL, "smallest_noise": 0.1}


@pytest.fixture(scope="module")
def tiny():
    scan = simulate_scan(shepp_logan(SHAPE), coils=2, noise=0.02, seed=3)
    return undersample(scan, make_mask("cartesian", SHAPE, 2, 0.3, seed=1))


def drawing(tiny, prior, chains, **changes):
    """Make a sampler of many chains and a state whose estimate is the same in all of them."""
    settings = replace(
        preset("posterior"),
        **{
            **FEW,
            "data_noise": NOISE,
            "draw_width": WIDTH,
            "conjugate_gradients": 100,
            "map_sets": 1,
            "choose": "none",
        },
        **{"coil_start": "low-pass", "renormalise": False, "mirror_noise": False, "draw_noise": 1.0, **changes},
    )
    sampler = make_sampler(tiny, prior, settings, seeds=range(chains))
    state = sampler.start()
    same = state.image[:1].expand_as(state.image)
    return sampler, replace(state, image=same, substep=1)


def dense(sampler, state):
    """Give the forward operator as a matrix, by applying it to every pixel: (samples, pixels)."""
    count = SHAPE[0] * SHAPE[1]
    pixels = torch.eye(count, dtype=torch.complex64).view(count, *SHAPE)
    return sampler._sense.forward(pixels, state.coils[0]).flatten(1).T.to(torch.complex128)


@pytest.mark.slow
def test_a_draw_has_the_mean_and_covariance_of_the_posterior_gaussian(prior, tiny):
    """A wrong sign, a missing perturbation or a factor of two in the noise misses one of the two."""
    sampler, state = drawing(tiny, prior, 2000, update_coils=False)
    drawn = sampler.draw(state).image.flatten(1).to(torch.complex128)
    forward, estimate = dense(sampler, state), state.image[0].flatten().to(torch.complex128)
    measured = tiny.kspace.flatten().to(torch.complex128)
    precision = forward.mH @ forward / NOISE**2 + torch.eye(len(estimate)) / (WIDTH * LEVEL) ** 2
    mean = torch.linalg.solve(precision, forward.mH @ measured / NOISE**2 + estimate / (WIDTH * LEVEL) ** 2)
    covariance = 2 * torch.linalg.inv(precision)  # of complex numbers: real and imaginary part have one of them each
    away = drawn - drawn.mean(dim=0)
    found = away.T @ away.conj() / len(drawn)
    scale = float(covariance.diagonal().real.mean())
    torch.testing.assert_close(drawn.mean(dim=0), mean, rtol=0, atol=5 * (scale / len(drawn)) ** 0.5)
    torch.testing.assert_close(found, covariance, rtol=0, atol=5 * scale / len(drawn) ** 0.5)
    assert float((away.T @ away / len(drawn)).abs().max()) < 5 * scale / len(drawn) ** 0.5, "parts are not alike"
    assert float(covariance.diagonal().real.max() / covariance.diagonal().real.min()) > 1.1, "the data decide nothing"


@pytest.mark.slow
def test_a_joint_draw_spends_its_energy_as_the_linearised_posterior_does(prior, tiny):
    """With precision P, the mean of v^H P v is twice the number of complex unknowns, coils among them."""
    sampler, state = drawing(tiny, prior, 300, coil_smoothing=30.0, coil_interval=1)
    band, sense = sampler._band, sampler._sense
    done = sampler.draw(state)
    image = done.image[:, None].to(torch.complex64)
    coefficients = band.coefficients(done.coils[:, None])
    away = (image - image.mean(dim=0), coefficients - coefficients.mean(dim=0))
    base = band.images(band.coefficients(state.coils[:1, None]))
    at = state.image[:1, None].expand_as(image).contiguous()
    maps = base.expand(len(image), *base.shape[1:]).contiguous()
    response = sense.resample(linearised(band.images(away[1]), at, maps, away[0]))
    for_image, for_coils = linearised_adjoint(response, at, maps)
    data = (away[0].conj() * for_image).real.sum() + (away[1].conj() * band.coefficients(for_coils)).real.sum()
    close = away[0].abs().square().sum() / (WIDTH * LEVEL) ** 2
    smooth = (30.0 * band.roughness * away[1].abs().square()).sum()
    energy = (data / NOISE**2 + close + smooth) / len(image)
    unknowns = 2 * (image[0].numel() + coefficients[0].numel())
    assert float(energy) == pytest.approx(unknowns, rel=0.03)
    assert float(smooth) / len(image) > 0.2 * 2 * coefficients[0].numel(), "the coils' own prior is not drawn from"


def test_the_mean_of_a_joint_draw_solves_the_normal_equations(prior, tiny):
    """Of mirrored draws the noise cancels; what is left balances data, estimate and roughness, in units of noise."""
    sampler, state = drawing(tiny, prior, 2, coil_smoothing=30.0, coil_interval=1, mirror_noise=True)
    band, done = sampler._band, sampler.draw(state)
    before, first = state.image[:1, None], band.coefficients(state.coils[:1, None])
    image = done.image.mean(dim=0)[None, None]
    coefficients = band.coefficients(done.coils.mean(dim=0)[None, None])
    maps = band.images(first)
    response = sampler._sense.resample(linearised(band.images(coefficients - first), before, maps, image))
    for_image, for_coils = linearised_adjoint(sampler._zero_filled - response, before, maps)
    pull = 30.0 * NOISE**2 * band.roughness * coefficients
    torch.testing.assert_close(band.coefficients(for_coils), pull, rtol=0, atol=0.05 * float(pull.abs().max()))
    towards = (NOISE / (WIDTH * LEVEL)) ** 2 * (image - before)
    torch.testing.assert_close(for_image, towards, rtol=0, atol=0.05 * float(towards.abs().max()))


@pytest.mark.slow
def test_a_real_image_is_drawn_from_the_real_gaussian(prior):
    scan = simulate_scan(shepp_logan(SHAPE), coils=1, noise=0.02, seed=3)
    tiny = undersample(scan, make_mask("cartesian", SHAPE, 2, 0.3, seed=1))
    sampler, state = drawing(tiny, prior, 2000, real_image=True, update_coils=False)
    drawn = sampler.draw(state).image.flatten(1).double()
    forward = dense(sampler, state)
    precision = (forward.mH @ forward).real / NOISE**2 + torch.eye(drawn.shape[1]) / (WIDTH * LEVEL) ** 2
    covariance = torch.linalg.inv(precision)
    found = torch.cov(drawn.T)
    torch.testing.assert_close(found, covariance, rtol=0, atol=5 * float(covariance.max()) / len(drawn) ** 0.5)


def test_a_share_of_the_noise_makes_a_draw_narrower_around_the_same_mean(prior, tiny):
    """Of exp(-E) that is exp(-E / tau^2): all noise shrinks, that of the coils as well, and the mean stays."""
    whole, state = drawing(tiny, prior, 2, coil_smoothing=30.0, coil_interval=1, mirror_noise=True)
    half, _ = drawing(tiny, prior, 2, coil_smoothing=30.0, coil_interval=1, mirror_noise=True, draw_noise=0.5)
    ends = [sampler.draw(state) for sampler in (whole, half)]
    for values in ("image", "coils"):
        wide, narrow = (getattr(end, values) for end in ends)
        torch.testing.assert_close(narrow[0] - narrow[1], 0.5 * (wide[0] - wide[1]), rtol=0, atol=1e-3)
        torch.testing.assert_close(narrow.mean(dim=0), wide.mean(dim=0), rtol=0, atol=1e-3)
        assert float((wide[0] - wide[1]).abs().max()) > 0.01


def test_mirrored_chains_draw_opposite_noise(prior, tiny):
    """The mean of two is what data and estimate say without noise, and neither is the other."""
    sampler, state = drawing(tiny, prior, 4, update_coils=False, mirror_noise=True)
    drawn = sampler.draw(state).image
    quiet = sampler.with_settings(replace(sampler.settings, draw_width=1e-3))  # nothing but the estimate is left
    torch.testing.assert_close(quiet.draw(state).image, state.image, rtol=0, atol=0.01)
    pairs = drawn.view(2, 2, *SHAPE)
    torch.testing.assert_close(pairs[0].mean(dim=0), pairs[1].mean(dim=0), rtol=0, atol=1e-4)
    assert float((pairs[:, 0] - pairs[:, 1]).abs().min()) > 1e-3
    assert not torch.allclose(pairs[0, 0], pairs[1, 0])
    first = sampler.start().image
    torch.testing.assert_close(first[0] + first[1], first[2] + first[3], rtol=0, atol=1e-4)
    alone = make_sampler(tiny, prior, sampler.settings, seeds=(3,)).start()
    assert torch.equal(alone.image[0], first[3])


def test_mirrored_coils_are_drawn_with_opposite_noise(prior, tiny):
    sampler, state = drawing(tiny, prior, 2, coil_smoothing=30.0, coil_interval=1, mirror_noise=True)
    _, coils, _ = sampler._perturbation(state, True)
    assert coils is not None
    torch.testing.assert_close(coils[0], -coils[1])
    assert float(coils.abs().max()) > 0


def test_the_last_draw_is_the_sample_and_others_are_noised(prior, small):
    settings = replace(preset("posterior"), **{**FEW, "injected_noise": 0.7, "corrector_steps": 1, "map_sets": 1})
    sampler = make_sampler(small, prior, settings)
    assert sampler.plan == ("predict", "draw", "renoise", "correct")
    state = sampler.start()
    after = sampler.levels[1]
    renoised = sampler.renoise(state)
    assert float((renoised.image - state.image).abs().square().mean() / 2) ** 0.5 == pytest.approx(0.7 * after, rel=0.2)
    assert not torch.equal(sampler.correct(state).image, state.image)
    last = replace(state, iteration=sampler.steps - 1)
    assert torch.equal(sampler.renoise(last).image, last.image)
    assert torch.equal(sampler.correct(last).image, last.image)


def test_a_langevin_step_drifts_along_the_score_and_adds_its_noise(prior, small):
    """Of two mirrored chains, half the sum is eps score and half the difference sqrt(2 eps) z, with |z|^2 as in eps."""
    settings = replace(preset("posterior"), **{**FEW, "corrector_steps": 1, "corrector_ratio": 0.2, "map_sets": 1})
    sampler = make_sampler(small, prior, settings, seeds=(0, 1))
    state = sampler.start()
    state = replace(state, image=state.image[:1].expand_as(state.image))
    score = prior.score(state.image[:1], sampler.levels[1])[0]
    away = sampler.correct(state).image - state.image
    drift, noise = (away[0] + away[1]) / 2, (away[0] - away[1]) / 2
    for drifted, noised, pull in ((drift.real, noise.real, score.real), (drift.imag, noise.imag, score.imag)):
        length = float((drifted * pull).sum() / pull.square().sum())
        assert length > 0
        torch.testing.assert_close(drifted, length * pull, rtol=1e-2, atol=1e-5)
        assert float(noised.square().sum()) == pytest.approx(float(drifted.square().sum()) / 0.2, rel=1e-2)


def test_chains_begin_with_noise_of_the_first_level_and_predict_at_it(prior, small):
    settings = replace(preset("posterior"), **{**FEW, "draw_noise": 0.5, "turn_images": False, "map_sets": 1})
    sampler = make_sampler(small, prior, settings, seeds=(0, 1))
    state = sampler.start()
    noise = torch.view_as_real(state.image[0] - state.image[1]) / 2
    assert float(noise.std()) == pytest.approx(0.5 * LEVEL, rel=0.05)
    torch.testing.assert_close(sampler.predict(state).image, prior.denoise(state.image, LEVEL))


def test_all_chains_share_the_warm_start_and_levels_follow_the_noise(prior, small, monkeypatch):
    settings = replace(preset("posterior"), iterations=2, map_sets=1, choose="none")
    assert settings.warm_start
    chains = Chains(RunRequest(small, prior, settings, chains=3))
    first = chains.state
    assert chains.sampler.level(first) == pytest.approx(settings.largest_noise * float(first.data_noise[0]))
    monkeypatch.setattr(type(chains.sampler), "_warm", lambda _: pytest.fail("found again"))
    seen = [first]
    while not chains.finished:
        chains.step()
        if chains.state.iteration == 1:
            seen.append(chains.state)
    assert len(seen) == 4
    assert torch.equal(seen[1].data_noise, seen[3].data_noise)
    assert not torch.allclose(seen[2].image, seen[3].image)


def test_a_run_goes_on_from_a_file_with_the_same_bits(prior, small, tmp_path):
    settings = replace(preset("posterior"), iterations=6, map_sets=1, choose="none")
    whole, _ = run(make_sampler(small, prior, settings, seeds=(5,)))
    sampler = make_sampler(small, prior, settings, seeds=(5,))
    half = sampler.step(sampler.step(sampler.start()))
    save_state(sampler.substep(half), tmp_path / "state")
    other = make_sampler(small, prior, settings, seeds=(5,))
    state = load_state(tmp_path / "state")
    while state.iteration < other.steps:
        state = other.substep(state)
    assert torch.equal(state.image, whole.image)
    assert torch.equal(state.coils, whole.coils)


def test_a_warm_start_can_be_cancelled(prior, small):
    with pytest.raises(Cancelled):
        make_sampler(small, prior, replace(preset("posterior"), coil_start="low-pass"), cancelled=lambda: True).start()


@pytest.mark.slow
def test_spread_is_large_where_the_data_decide_little(prior, head):
    """At five times fewer samples chains disagree more, as the paper's variance does."""
    scan, _ = head
    spread = []
    for acceleration in (2, 5):
        measurement = undersample(scan, make_mask("cartesian", (96, 80), acceleration, 0.12, seed=3))
        settings = replace(preset("posterior"), iterations=8, map_sets=1, choose="none")
        ends, _ = run(make_sampler(measurement, prior, settings, seeds=(1, 2, 3)))
        spread.append(float(ends.image.abs().std(dim=0).mean()))
    assert spread[1] > 1.3 * spread[0]
    assert np.isfinite(spread).all()
