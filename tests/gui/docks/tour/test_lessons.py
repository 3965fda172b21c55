"""What the lessons claim, held against the numbers on a small phantom, the shipped recording and the bundled scan."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.data.sources import demo_scan, open_scan
from napari_pogmdm.evaluation.rival_choices import checkpoint_choice, seen_before
from napari_pogmdm.gui.background.preview import preview
from napari_pogmdm.gui.docks.tour.figures.point_spread import profile_of
from napari_pogmdm.gui.docks.tour.figures.schedule import TISSUE, paper_schedule
from napari_pogmdm.gui.docks.tour.figures.score_scatter import cosine
from napari_pogmdm.gui.docks.tour.numbers import aliasing, side_lobe, spread
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample, zero_filled_image
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler, noise_schedule
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampler.state import Diverged
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.runs.recording_reader import demo_recording, read_recording
from napari_pogmdm.runs.status import COLUMNS

VARNET = Path(__file__).parents[4] / "examples" / "one-mask" / "varnet.safetensors"
DRAWS = replace(preset("default"), iterations=12)
CHAINS = replace(preset("posterior"), choose="none", map_sets=1)


@pytest.fixture(scope="module")
def scan():
    return simulate_scan(shepp_logan((64, 64)), coils=6, noise=0.005, seed=3)


@pytest.fixture(scope="module")
def reference(scan):
    return reference_image(scan)


@pytest.fixture(scope="module")
def prior():
    return load_prior("flf-tc")


def measured(scan, acceleration: float, centre: float = 0.12, kind: str = "cartesian") -> Measurement:
    return undersample(scan, make_mask(kind, scan.shape, acceleration, centre))


def spread_of(scan, kind: str) -> np.ndarray:
    mask = make_mask(kind, scan.shape, 4, 0.08)
    return preview(scan.kspace, mask, scan.crop).point_spread


def decibels(mask) -> np.ndarray:
    return 20 * np.log10(np.maximum(mask.point_spread(), 1e-4))


def psnr(measurement: Measurement, prior, settings: SamplerSettings, reference, **options: int) -> float:
    return metrics(reference, reconstruct(measurement, model=prior, preset=settings, **options).image).psnr


def ended(measurement: Measurement, prior, settings: SamplerSettings) -> float:
    """Residual at the end of a run."""
    sampler = make_sampler(measurement, prior, settings)
    state = sampler.start()
    for _ in range(sampler.steps):
        state = sampler.step(state)
    return sampler.misfit(state)


@pytest.fixture(scope="module")
def noisy(reference):
    clean = torch.from_numpy(reference / reference.max())
    noise = torch.randn(clean.shape, generator=torch.Generator().manual_seed(0))
    return clean, noise


@pytest.fixture(scope="module")
def sampler(scan, prior):
    return make_sampler(measured(scan, 3), prior, preset("paper"))


@pytest.fixture(scope="module")
def ensembles(scan, prior):
    return {a: reconstruct(measured(scan, a), model=prior, preset=CHAINS, chains=4) for a in (2, 4, 8)}


@pytest.fixture(scope="module")
def turned():
    scan = open_scan(VARNET.with_name("head.npz"))[0]
    full = reference_image(scan)
    numbers = {}
    for axis in ("columns", "rows"):
        measurement = undersample(scan, make_mask("cartesian", scan.shape, 4, 0.08, axis=axis))
        for method, options in (
            ("zero-filled", {}),
            ("varnet", {"model": VARNET}),
            ("pogmdm", {"preset": "fast", "model": "flf-tc"}),
        ):
            numbers[method, axis] = metrics(full, reconstruct(measurement, method, **options).image).psnr
    return numbers


class TestUndersampling:
    def test_aliasing_falls_with_every_line_that_is_measured(self, reference, scan):
        found = [aliasing(zero_filled_image(measured(scan, a, 0.08)), reference) for a in (8, 4, 2)]
        assert found[0] > 1.2 * found[1] > 1.2 * 1.2 * found[2] > 0

    def test_most_energy_lies_in_the_central_lines_that_are_always_kept(self):
        kspace = demo_scan()[0].kspace
        energy = np.square(np.abs(kspace)).sum(axis=(0, 1))
        middle = round(0.04 * len(energy))
        centre = len(energy) // 2
        assert energy[centre - middle : centre + middle].sum() > 0.5 * energy.sum()

    def test_whole_columns_alias_along_rows_only(self, scan):
        spread_image = spread_of(scan, "cartesian")
        row = spread_image.shape[0] // 2
        beside = np.delete(spread_image, row, axis=0)
        assert beside.max() < -60 < spread_image[row].min() + 60

    def test_even_gaps_gather_in_louder_side_lobes_than_random_ones(self):
        shape = demo_scan()[0].shape
        masks = {
            "even": make_mask("fastmri-equispaced", shape, 4, 0.04),
            "random": make_mask("cartesian", shape, 4, 0.04),
            "fewer": make_mask("cartesian", shape, 8, 0.04),
            "points": make_mask("gaussian", shape, 4, 0.08),
        }
        found = {name: profile_of(decibels(mask), mask) for name, mask in masks.items()}
        loudest = {name: profile.loudest[1] for name, profile in found.items()}
        assert loudest["even"] > loudest["random"] + 6
        assert loudest["fewer"] > loudest["random"] + 2
        assert loudest["points"] < loudest["random"] - 20
        peaks = found["even"].offsets[found["even"].decibels > -6]
        assert set(np.abs(peaks)) == {0, shape[1] // 4, shape[1] // 2}  # a quarter of the image apart
        assert masks["random"].acceleration == pytest.approx(masks["even"].acceleration, rel=0.1)

    def test_a_flank_of_the_main_lobe_is_no_side_lobe(self):
        across = np.maximum(-3.0 * np.abs(np.arange(-20, 21)), -40.0)
        point_spread = across[:, None] + across[None, :]
        point_spread[20, 33] = -36.0
        assert side_lobe(point_spread.astype(np.float32)) == ((0, 13), -36.0)


class TestNoiseAndScore:
    @pytest.mark.parametrize("sigma", [0.05, 0.1, 0.3])
    def test_one_step_is_closer_than_the_noisy_image(self, prior, noisy, sigma):
        clean, noise = noisy
        estimate = prior.denoise((clean + sigma * noise)[None], sigma)[0]
        assert torch.linalg.norm(estimate - clean) < 0.7 * torch.linalg.norm(sigma * noise)

    def test_the_score_is_what_the_estimate_differs_by(self, prior, noisy):
        clean, noise = noisy
        image = (clean + 0.1 * noise)[None]
        score = prior.score(image, 0.1)
        torch.testing.assert_close(score, (prior.denoise(image, 0.1) - image) / 0.1**2, rtol=1e-3, atol=1e-3)

    def test_the_score_points_towards_the_clean_image(self, prior):
        picture = reference_image(demo_scan()[0])
        clean = picture / picture.max()
        image = clean + 0.1 * np.random.default_rng(0).standard_normal(clean.shape).astype(np.float32)
        step = prior.denoise(image, 0.1) - image
        assert cosine(step, clean - image) > 0.9
        assert cosine(step, image - clean) < -0.9

    def test_the_model_has_as_many_numbers_as_the_lesson_says(self, prior):
        assert prior.parameter_count == 7348

    def test_with_more_noise_the_estimate_is_smoother_and_worse(self, prior, noisy):
        clean, noise = noisy
        found = [prior.denoise((clean + sigma * noise)[None], sigma)[0] for sigma in (0.1, 0.3)]
        rough = [float(image.diff(dim=0).abs().mean()) for image in found]
        wrong = [float(torch.linalg.norm(image - clean)) for image in found]
        assert rough[1] < rough[0]
        assert wrong[1] > wrong[0]


class TestPotentials:
    GRID = torch.linspace(-0.5, 0.5, 1001)

    def minima(self, prior, sigma: float) -> np.ndarray:
        slope = np.diff(prior.potentials(self.GRID, sigma).numpy(), axis=1)
        return ((slope[:, :-1] < 0) & (slope[:, 1:] > 0)).sum(axis=1)

    def test_no_filter_lets_a_constant_image_through(self, prior):
        filters = prior.filters
        assert float(filters.sum(dim=(-2, -1)).abs().max()) < 1e-3 * float(filters.abs().sum(dim=(-2, -1)).max())

    def test_all_have_several_minima_without_noise_and_fewer_with_it(self, prior):
        assert (self.minima(prior, 0.0) > 1).all()
        assert (self.minima(prior, 0.2) > 1).sum() < (self.minima(prior, 0.0) > 1).sum()

    def test_noise_flattens_them_at_zero(self, prior):
        def bend(sigma: float) -> float:
            curves = prior.potentials(self.GRID, sigma).numpy()
            return float(np.median(np.abs(curves[:, 520] - 2 * curves[:, 500] + curves[:, 480])))

        assert bend(0.0) > bend(0.05) > bend(0.2)


class TestSchedule:
    def test_the_default_walks_in_even_ratios_between_the_named_levels(self):
        levels = np.array(noise_schedule(preset("default"))[:-1])
        assert (len(levels), levels[0], levels[-1]) == (60, pytest.approx(0.1), pytest.approx(0.01))
        np.testing.assert_allclose(levels[1:] / levels[:-1], levels[1] / levels[0])

    def test_the_papers_run_starts_at_the_named_level_and_is_mostly_below_005(self):
        levels = np.array(noise_schedule(preset("paper")))
        assert len(levels) - 1 == 200
        assert levels[0] == pytest.approx(0.489, abs=5e-4)
        assert (levels < 0.05).mean() > 0.5
        assert (np.diff(levels) < 0).all()

    def test_the_recorded_run_gains_most_in_its_first_half(self):
        recording = read_recording(demo_recording())
        shown = recording.trace[recording.moments][:, COLUMNS.index("psnr")]
        assert shown[6] > shown[0] + 4
        assert shown[12] - shown[0] > shown[24] - shown[12]
        assert recording.picture("error", 6).mean() < recording.picture("error", 0).mean()

    def test_the_run_from_noise_starts_with_nothing_and_comes_from_coarse_to_fine(self):
        recording = read_recording(demo_recording())
        shown = recording.trace[recording.moments]
        psnr, sigma = (shown[:, COLUMNS.index(name)] for name in ("psnr", "sigma"))
        assert (sigma[0], sigma[10]) == (pytest.approx(0.97, abs=5e-3), pytest.approx(0.131, abs=5e-4))
        assert psnr[0] < 0
        picture, reference = recording.picture("image", 0), recording.picture("reference", 0)
        assert abs(np.corrcoef(picture.ravel(), reference.ravel())[0, 1]) < 0.2  # nothing can be seen
        assert sigma[16] < TISSUE < sigma[10]
        assert psnr[16] > psnr[10] + 10
        assert 0 < psnr[24] - psnr[20] < 1
        assert (sigma[20], sigma[24]) == (pytest.approx(0.0055, abs=5e-5), pytest.approx(0.001, abs=1e-5))
        iterations = shown[:, COLUMNS.index("iteration")]
        assert (iterations[10], iterations[24] - iterations[20]) == (100, 40)
        assert recording.facts.plan == ("predict", "data", "correct", "data", "coils")  # Algorithm 1

    def test_the_drawn_schedule_is_the_papers(self):
        paper = paper_schedule()
        assert (len(paper.whole) - 1, len(paper.run) - 1, paper.skipped) == (1000, 200, 800)
        assert paper.whole[0] == pytest.approx(10)
        assert paper.whole[paper.skipped :] == pytest.approx(paper.run)
        assert paper.fine > 100


class TestAlgorithm:
    def test_five_lines_make_an_iteration_and_the_data_step_lowers_the_residual(self, sampler):
        assert sampler.plan == ("predict", "data", "correct", "data", "coils")
        state = sampler.start()
        for _ in range(3):
            predicted = sampler.substep(state)
            assert sampler.misfit(predicted) == pytest.approx(sampler.misfit(state), rel=0.25)
            informed = sampler.substep(predicted)
            assert sampler.misfit(informed) < 0.7 * sampler.misfit(predicted)
            corrected = sampler.substep(informed)
            assert sampler.misfit(corrected) > sampler.misfit(informed)
            again = sampler.substep(corrected)
            assert sampler.misfit(again) < sampler.misfit(corrected)
            state = sampler.substep(again)
            assert sampler.misfit(state) < sampler.misfit(again)  # the coil step sees the data, too
        assert (state.iteration, state.substep) == (3, 0)

    def test_the_predictor_takes_in_noise_of_the_variance_that_the_level_loses(self, sampler, prior):
        state = sampler.start()
        before, after = sampler.levels[:2]
        gap = before**2 - after**2
        drawn = sampler.substep(state).image - state.image - gap * prior.score(state.image, before)
        assert float(torch.view_as_real(drawn).std()) == pytest.approx(math.sqrt(gap), rel=0.03)

    def test_the_estimate_is_much_closer_than_the_iterate(self, sampler, scan, reference):
        state = sampler.start()
        for _ in range(25):
            state = sampler.step(state)
        scale = measured(scan, 3).scale
        rss = torch.linalg.vector_norm(state.coils[0], dim=0)
        iterate = (state.image[0].abs() * rss).numpy() * scale
        estimate = (sampler.tweedie(state)[0].abs() * rss).numpy() * scale
        assert np.square(estimate - reference).sum() < 0.7 * np.square(iterate - reference).sum()


class TestCoils:
    def test_joint_updates_improve_on_the_aliased_start(self, scan, prior, reference):
        bad = replace(preset("fast"), coil_start="zero-filled")
        kept = psnr(measured(scan, 3), prior, replace(bad, update_coils=False), reference)
        assert psnr(measured(scan, 3), prior, bad, reference) > kept + 1

    def test_kept_aliased_maps_explain_the_data_all_too_well(self, scan, prior):
        bad = replace(preset("fast"), coil_start="zero-filled")
        few = measured(scan, 3)
        assert ended(few, prior, replace(bad, update_coils=False)) < ended(few, prior, bad)

    def test_the_recorded_coils_have_unit_root_sum_of_squares(self):
        recording = read_recording(demo_recording())
        low, high = recording.trace[-1, -2:]
        assert (low, high) == (pytest.approx(1, abs=1e-3), pytest.approx(1, abs=1e-3))
        maps = recording.picture("coil magnitude", 24)
        assert maps.shape == (8, 224, 224)


class TestChains:
    def test_chains_differ_more_with_fewer_samples(self, ensembles):
        found = [spread(ensembles[a].variance, ensembles[a].image) for a in (2, 4, 8)]
        assert 0 < 1.5 * found[0] < found[1] < found[2]

    def test_the_mean_is_better_than_its_chains_one_by_one(self, ensembles, scan, prior, reference):
        singles = [psnr(measured(scan, 4), prior, CHAINS, reference, seed=seed) for seed in range(4)]
        assert metrics(reference, ensembles[4].image).psnr > np.mean(singles)

    def test_the_deviation_tends_to_be_larger_where_the_error_is(self, ensembles, reference):
        error, shown = np.abs(ensembles[4].image - reference), ensembles[4].std
        assert np.corrcoef(error.ravel(), shown.ravel())[0, 1] > 0.3


class TestFailures:
    def test_too_few_samples_are_wrong_although_the_residual_is_small(self, scan, prior, reference):
        few = measured(scan, 8, 0.06)
        assert ended(few, prior, DRAWS) < min(0.05, 1.2 * ended(measured(scan, 3, 0.12), prior, DRAWS))
        assert psnr(few, prior, DRAWS, reference) < psnr(measured(scan, 3, 0.12), prior, DRAWS, reference) - 6

    def test_a_wrong_corrector_ratio_is_worse_and_a_very_wrong_one_leaves_all_bounds(self, scan, prior, reference):
        short = replace(preset("paper"), iterations=250)
        right = psnr(measured(scan, 3), prior, short, reference)
        assert psnr(measured(scan, 3), prior, replace(short, corrector_ratio=1.0), reference) < right - 1
        with pytest.raises(Diverged, match=r"lower the step ratio \(corrector_ratio\)"):
            reconstruct(measured(scan, 3), model=prior, preset=replace(short, corrector_ratio=4.0))


class TestOneMask:
    def test_the_network_works_with_its_own_mask(self, turned):
        assert turned["varnet", "columns"] > turned["zero-filled", "columns"] + 5

    def test_rows_cost_the_network_more_than_three_decibels_and_the_prior_none(self, turned):
        assert turned["varnet", "rows"] < turned["varnet", "columns"] - 3
        assert turned["pogmdm", "rows"] > turned["pogmdm", "columns"]

    def test_the_table_says_outside(self):
        scan = demo_scan()[0]
        choice = checkpoint_choice(Rival.VARNET, str(VARNET))
        columns, rows = (make_mask("cartesian", scan.shape, 4, 0.08, axis=axis) for axis in ("columns", "rows"))
        assert "outside" not in seen_before(choice, undersample(scan, columns))[0]
        assert seen_before(choice, undersample(scan, rows))[0].endswith("outside")
