from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.evaluation.calibrate import calibrate, in_words
from napari_pogmdm.evaluation.coverage import Errors


def case(scan: str, mask: str, too_sure: float) -> Errors:
    generator = np.random.default_rng(len(scan + mask))
    spread = generator.uniform(0.01, 0.05, 20_000)
    return Errors(scan, mask, np.abs(spread * generator.normal(size=spread.size)), spread / too_sure, 0.0, 0.7)


def test_a_scan_is_judged_by_the_factor_of_the_others():
    found = [case("first", "C4/8", 1.0), case("first", "G8", 1.0), case("second", "C4/8", 2.0)]
    fitted = calibrate(found, "posterior", "hash", {"command": "words"})
    rows = {(row["scan"], row["mask"]): row for row in fitted.evidence["rows"]}
    assert rows["first", "C4/8"]["factor_of_others"] == pytest.approx(2.0, rel=0.03)
    assert rows["second", "C4/8"]["factor_of_others"] == pytest.approx(1.0, rel=0.03)
    assert rows["second", "C4/8"]["factor_alone"] == pytest.approx(2.0, rel=0.03)
    assert rows["first", "G8"]["coverage_68"] > 0.9
    assert rows["second", "C4/8"]["coverage_68"] < 0.45
    assert 1.0 < fitted.factor < 2.0
    assert (fitted.scans, fitted.cases) == (2, 3)
    assert fitted.coverage["1"] == pytest.approx(np.mean([0.954, 0.954, 0.383]), abs=0.02)
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


def test_the_factor_may_go_with_the_size_of_the_image():
    facts = {("a", 100.0): 2.0, ("b", 100.0): 2.0, ("c", 400.0): 1.0, ("d", 1600.0): 0.5}
    found = [replace(case(name, "C4/8", sure), pixels=pixels, noise=0.01) for (name, pixels), sure in facts.items()]
    fitted = calibrate(found, "posterior", "hash", {})
    assert fitted.pixel_exponent == pytest.approx(-0.5, abs=0.03)
    assert fitted.exponent == 0
    assert fitted.factor_at(0.5, 400.0) == pytest.approx(1.0, rel=0.05)


def test_the_factor_may_go_with_a_power_of_the_noise():
    """Chains that are too sure by twice as much where the noise is a quarter."""
    noises = (0.004, 0.016, 0.064)
    found = [replace(case(f"scan {noise}", "C4/8", (noise / 0.016) ** -0.5), noise=noise) for noise in noises]
    fitted = calibrate(found, "posterior", "hash", {})
    assert fitted.exponent == pytest.approx(-0.5, abs=0.03)
    assert fitted.noise == pytest.approx(0.016, rel=0.01)
    assert fitted.factor_at(0.004, 1.0) == pytest.approx(2.0, rel=0.05)
    assert fitted.factor_at(0.0001, 5.0) == fitted.factor_at(0.004, 1.0)
    assert fitted.noises == (0.004, 0.064)
    assert fitted.coverage["1"] == pytest.approx(0.683, abs=0.02)
