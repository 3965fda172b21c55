from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.evaluation import case as cases
from napari_pogmdm.evaluation.case import CLASSICAL_CHOICES, Case, MethodChoice, obstacle, run_case
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.sampler.presets import preset

ZERO, CG, TV, JOINT, ESPIRIT, WAVELET = CLASSICAL_CHOICES
QUICK = MethodChoice("quick", "pogmdm", 7348, "flf-tc", replace(preset("fast"), iterations=3))


@pytest.fixture(scope="module")
def case(small_scan) -> Case:
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.3))
    return Case.of(small_scan, measurement, reference_image(small_scan))


@pytest.mark.parametrize("choice", [ZERO, CG, ESPIRIT, WAVELET, QUICK])
def test_methods_run_on_the_same_case_and_are_judged(case, choice):
    heard: list[float] = []
    found = run_case(choice, case, 0, heard.append, lambda: False)
    assert found.image.shape == case.reference.shape
    assert found.metrics.psnr > 15
    assert heard[-1] == 1
    assert (found.coil_residual is None) == (choice is ZERO)
    if found.coil_residual is not None:
        assert 0 < found.coil_residual < 0.3
        assert found.residual_map.shape == found.image.shape


def test_espirit_runs_and_its_coils_explain_the_scan(case):
    pytest.importorskip("sigpy")
    found = run_case(ESPIRIT, case, 0, lambda done: None, lambda: False)
    assert found.coil_residual < 0.3


def test_without_a_reference_there_is_an_image_and_no_metric(case):
    found = run_case(ZERO, Case(case.measurement, None, None), 0, lambda done: None, lambda: False)
    assert found.metrics is None
    assert found.image.max() > 0


@pytest.mark.parametrize("choice", [CG, QUICK])
def test_cancelling_is_no_error(case, choice):
    with pytest.raises(Cancelled):
        run_case(choice, case, 0, lambda done: None, lambda: True)


def test_espirit_says_why_it_cannot_run(small_scan, case, monkeypatch):
    narrow = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.1))
    pytest.importorskip("sigpy")
    assert obstacle(ESPIRIT, case.measurement) == ""
    assert "too small to calibrate" in obstacle(ESPIRIT, narrow)
    assert obstacle(CG, narrow) == ""
    with pytest.raises(InputError, match=r"ESPIRiT \+ CG: the fully sampled centre"):
        run_case(ESPIRIT, Case(narrow, None, None), 0, lambda done: None, lambda: False)
    monkeypatch.setattr(cases, "find_spec", lambda name: None)
    assert "needs SigPy" in obstacle(ESPIRIT, case.measurement)
    assert "needs SigPy" in obstacle(WAVELET, None)
    assert obstacle(CG, case.measurement) == ""


def test_an_undersampled_file_has_no_coil_images(small_scan, case):
    partial = replace(small_scan, mask=case.measurement.mask.samples)
    assert Case.of(partial, case.measurement, None).coil_images is None
    assert Case.of(SimpleNamespace(mask=np.ones(1)), case.measurement, None).coil_images is None
