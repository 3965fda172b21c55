from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.calibrate import calibrate, errors_of, in_words
from napari_pogmdm.evaluation.coverage import Errors
from napari_pogmdm.evaluation.method_names import SamplerMethod
from napari_pogmdm.evaluation.tuning import TuningCase
from napari_pogmdm.recon.spread import Ratios
from napari_pogmdm.runtime.pool.connect import open_pool


def case(scan: str, mask: str, too_sure: float) -> Errors:
    generator = np.random.default_rng(len(scan + mask))
    spread = generator.uniform(0.01, 0.05, 20_000)
    return Errors(scan, mask, np.abs(spread * generator.normal(size=spread.size)), spread / too_sure, 0.0, 0.7)


def test_a_scan_is_judged_by_the_factor_of_the_others():
    found = [case(scan, mask, sure) for scan, sure in (("first", 1.0), ("second", 2.0)) for mask in ("C4/8", "G8")]
    fitted = calibrate(found, "posterior", "hash", {"command": "words"})
    rows = {(row["scan"], row["mask"]): row for row in fitted.evidence["rows"]}
    assert rows["first", "C4/8"]["factor_of_others"] == pytest.approx(2.0, rel=0.03)
    assert rows["second", "C4/8"]["factor_of_others"] == pytest.approx(1.0, rel=0.03)
    assert rows["second", "C4/8"]["factor_alone"] == pytest.approx(2.0, rel=0.03)
    assert rows["first", "G8"]["coverage_68"] > 0.9
    assert rows["second", "C4/8"]["coverage_68"] < 0.45
    assert 1.0 < fitted.factor < 2.0
    assert (fitted.scans, fitted.cases) == (2, 4)
    assert fitted.coverage["1"] == pytest.approx(np.mean([0.954, 0.383]), abs=0.02)
    assert fitted.evidence["command"] == "words"
    assert fitted.words == f"calibrated on 2 scans: {100 * fitted.coverage['1']:.0f} % interval"


def test_one_scan_alone_is_judged_by_itself():
    fitted = calibrate([case("only", "C4/8", 1.5)], "posterior", "hash", {})
    assert fitted.factor == pytest.approx(1.5, rel=0.03)
    assert fitted.coverage["1"] == pytest.approx(0.683, abs=0.01)


def test_what_is_covered_is_said_in_words():
    words = in_words([case("a", "b", 1.0)], 1.0)
    assert "68 % interval" in words
    assert "correlation of local spread and error 0.70" in words


def test_the_factor_may_go_with_a_power_of_spread_over_noise():
    """Chains that are too sure by twice as much where they lie four times as far apart, in units of the noise."""
    ratios = (1.0, 4.0, 16.0)
    found = [replace(case(f"scan {ratio}", "C4/8", (ratio / 4) ** 0.5), ratios=Ratios(ratio, 1.0)) for ratio in ratios]
    fitted = calibrate(found, "posterior", "hash", {})
    assert fitted.exponents.over_noise == pytest.approx(0.5, abs=0.03)
    assert fitted.exponents.over_detail == 0
    assert fitted.middle.over_noise == pytest.approx(4.0, rel=0.01)
    assert fitted.factor_at(Ratios(16.0, 1.0)) == pytest.approx(2.0, rel=0.05)
    assert (fitted.least.over_noise, fitted.most.over_noise) == (1.0, 16.0)
    assert fitted.evidence["rows"][0]["over_noise"] == 1.0


def test_a_power_of_the_detail_is_told_apart_from_that_of_the_noise():
    """The ratios do not go together, and one factor is the product of both powers."""
    places = [(1.0, 0.1), (4.0, 0.1), (1.0, 0.9), (4.0, 0.9), (2.0, 0.3)]
    found = [
        replace(case(f"scan {place}", "C4/8", noise**0.8 * detail**0.4), ratios=Ratios(*place))
        for place in places
        for noise, detail in (place,)
    ]
    fitted = calibrate(found, "posterior", "hash", {})
    assert fitted.exponents.over_noise == pytest.approx(0.8, abs=0.03)
    assert fitted.exponents.over_detail == pytest.approx(0.4, abs=0.03)
    assert fitted.factor_at(Ratios(3.0, 0.5)) == pytest.approx(3.0**0.8 * 0.5**0.4, rel=0.03)
    assert fitted.evidence["rows"][1]["over_detail"] == 0.1


def test_one_case_that_went_wrong_does_not_make_the_others_unsure():
    found = [
        replace(case(f"scan {ratio}", "C4/8", ratio / 4), ratios=Ratios(ratio, 1.0))
        for ratio in (1.0, 2.0, 4.0, 8.0, 16.0)
    ]
    wrong = replace(case("scan 4.0", "G8", 5.0), ratios=Ratios(4.0, 1.0))
    fitted = calibrate([*found, wrong], "posterior", "hash", {})
    assert fitted.exponents.over_noise == pytest.approx(1.0, abs=0.05)
    assert fitted.factor_at(Ratios(4.0, 1.0)) == pytest.approx(1.0, rel=0.1)


def test_ratios_that_are_all_alike_tell_no_power():
    found = [
        replace(case(name, "C4/8", sure), ratios=Ratios(2.0 + 0.01 * sure, 1.0))
        for name, sure in (("a", 1.0), ("b", 2.0))
    ]
    assert calibrate(found, "posterior", "hash", {}).exponents == Ratios(0.0, 0.0)


@pytest.mark.slow
def test_kept_cases_are_not_run_again(request_of, tmp_path, monkeypatch):
    request = request_of()
    method = SamplerMethod(replace(request.settings, iterations=2), chains=2)
    cases = [TuningCase("scan C2/30", request.measurement, request.reference)]
    [first] = errors_of(cases, method, keep=tmp_path)
    monkeypatch.setattr(SamplerMethod, "run", lambda *_, **__: pytest.fail("run again"))
    [again] = errors_of(cases, method, keep=tmp_path)
    assert (again.scan, again.mask, again.ratios) == ("scan", "C2/30", first.ratios)
    np.testing.assert_array_equal(again.error, first.error)
    with pytest.raises(InputError, match="errors of this run"):
        list(errors_of(cases, replace(method, chains=3), keep=tmp_path))


@pytest.mark.slow
def test_cases_on_a_cluster_have_the_same_errors(request_of, scheduler):
    request = request_of()
    method = SamplerMethod(replace(request.settings, iterations=2), chains=2)
    cases = [TuningCase("scan C2/30", request.measurement, request.reference)]
    [here] = errors_of(cases, method)
    with open_pool(scheduler) as pool:
        [there] = errors_of(cases, method, pool)
    assert (there.scan, there.mask) == ("scan", "C2/30")
    np.testing.assert_array_equal(here.error, there.error)
    np.testing.assert_array_equal(here.spread, there.spread)
