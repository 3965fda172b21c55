from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.coverage import Errors, covered, deviations, fit_factor, judged_intervals, reliability
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.spread import Ratios


def errors(too_sure: float = 1.0, noise: float = 0.0, scan: str = "a", seed: int = 0) -> Errors:
    """Make normal errors whose spread is known, but for a factor, and a reference with noise of its own."""
    generator = np.random.default_rng(seed)
    spread = generator.uniform(0.01, 0.05, 40_000)
    wrong = spread * generator.normal(size=spread.size) + noise * generator.normal(size=spread.size)
    return Errors(scan, "C4/8", np.abs(wrong), spread / too_sure, noise, 0.8)


def test_a_normal_interval_holds_what_it_says():
    assert deviations(0.6827) == pytest.approx(1, abs=1e-3)
    assert deviations(0.95) == pytest.approx(1.96, abs=1e-3)
    assert errors().inside(1.0) == pytest.approx(0.683, abs=0.01)
    assert errors().inside(1.96) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("too_sure", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("noise", [0.0, 0.03])
def test_the_factor_undoes_a_wrong_size_and_knows_of_the_reference_noise(too_sure, noise):
    found = errors(too_sure, noise)
    assert fit_factor([found]) == pytest.approx(too_sure, rel=0.03)
    assert covered([found], 1.0, too_sure) == pytest.approx(0.683, abs=0.01)


def test_every_case_counts_alike_however_many_pixels_it_has():
    few = errors(4.0)
    few = replace(few, error=few.error[:200], spread=few.spread[:200])
    both = [errors(1.0), few]
    assert covered(both, 1.0, 1.0) == pytest.approx(np.mean([case.inside(1.0) for case in both]))
    assert 1.3 < fit_factor(both) < 4


def test_the_reliability_curve_is_the_diagonal_for_what_is_calibrated():
    curve = reliability([errors()], 1.0)
    assert len(curve) == 19
    np.testing.assert_allclose([found for _, found in curve], [claimed for claimed, _ in curve], atol=0.01)
    assert all(found > claimed for claimed, found in reliability([errors()], 2.0))


@pytest.mark.slow
def test_errors_come_from_chains_and_their_reference(small_scan, tmp_path):
    mask = make_mask("cartesian", small_scan.shape, 3, 0.2)
    measurement = undersample(small_scan, mask)
    settings = replace(preset("posterior"), iterations=4, map_sets=1, choose="none")
    result = reconstruct(measurement, preset=settings, chains=3)
    reference = reference_image(small_scan)
    assert reference is not None
    found = Errors.of(result, reference, measurement, "scan", "C3")
    body = reference > 0.1 * reference.max()
    peak = float(reference.max())
    np.testing.assert_allclose(found.error, np.abs(result.image - reference)[body] / peak, rtol=1e-4)
    assert result.variance is not None
    assert result.spread is not None
    np.testing.assert_allclose(found.spread, result.spread[body] / peak, rtol=1e-4)
    assert found.ratios == Ratios.recorded(result.record.sampler)
    found.save(tmp_path / "one.npz", "run")
    again = Errors.load(tmp_path / "one.npz", "run", "scan", "C3")
    np.testing.assert_array_equal(again.spread, found.spread)
    assert again.inside(1.0, 2.0) == found.inside(1.0, 2.0)
    assert (again.ratios, again.correlation, again.pixels) == (found.ratios, found.correlation, found.pixels)
    noisy = Errors.of(result, reference, replace(measurement, noise_floor=True))
    clean = Errors.of(result, reference, replace(measurement, noise_floor=False))
    expected = result.noise / peak * np.sqrt(1 - 1 / measurement.noisy_acceleration)
    assert noisy.reference_noise == pytest.approx(expected)
    assert clean.reference_noise == 0
    assert judged_intervals(result, reference, measurement) is None  # nobody has calibrated four iterations
    record = replace(result.record, sampler={**result.record.sampler, "calibration": {"factor": 1.7}})
    judged = judged_intervals(replace(result, record=record), reference, measurement)
    assert judged is not None
    np.testing.assert_array_equal(judged[0].spread, found.spread)
    assert judged[1] == 1.7
    assert judged_intervals(replace(result, record=record), reference[:-1], measurement) is None
    one = reconstruct(measurement, preset=settings)
    with pytest.raises(InputError, match="two or more"):
        Errors.of(one, reference, measurement)


def test_nothing_to_fit_on_is_said():
    with pytest.raises(InputError, match="no case"):
        fit_factor([])


def test_errors_of_another_run_or_none_at_all_are_refused(tmp_path):
    errors().save(tmp_path / "one.npz", "this run")
    assert Errors.load(tmp_path / "one.npz", "this run", "scan", "mask").ratios == errors().ratios
    with pytest.raises(InputError, match="not hold errors of this run"):
        Errors.load(tmp_path / "one.npz", "another run", "scan", "mask")
    np.savez(tmp_path / "two.npz", run="this run", error=np.ones(3), spread=np.ones(2), numbers=np.ones(6))
    with pytest.raises(InputError, match="not hold errors of this run"):
        Errors.load(tmp_path / "two.npz", "this run", "scan", "mask")
