from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from napari_pogmdm.gui.docks.trace.curves import QUANTITIES, curves_of, has_values, levels_seen, nearest
from napari_pogmdm.runs.frames import make_frame
from napari_pogmdm.runs.roles import LIVE_ROLES
from napari_pogmdm.runs.run import Run


@pytest.fixture
def run(request_of) -> Run:
    run = Run(request_of(chains=2))
    while not run.finished:
        run.step()
    return run


def test_pictures_are_what_a_result_holds(run):
    frame = make_frame(run.context, run.state, LIVE_ROLES)
    result = run.result(stopped=False)
    assert set(frame.arrays) == set(LIVE_ROLES) - {"deviation", "doubt"}, "chains of splitting are no samples"
    assert all(array.dtype == np.float32 and array.flags.c_contiguous for array in frame.arrays.values())
    np.testing.assert_allclose(frame.arrays["mean"], result.image, rtol=1e-5)
    assert frame.arrays["coil magnitude"].shape == result.coils.shape
    assert frame.arrays["phase"].shape == frame.arrays["image"].shape == result.image.shape
    assert np.abs(frame.arrays["coil phase"]).max() <= np.pi + 1e-6
    np.testing.assert_allclose(
        frame.arrays["error"], np.abs(frame.arrays["image"] - run.request.reference), rtol=1e-5, atol=1e-7
    )


def test_the_residual_is_seen_in_decibels_where_samples_are(run):
    residual = make_frame(run.context, run.state, {"residual"}).arrays["residual"]
    mask = run.request.measurement.mask.samples
    assert residual[~mask].max() == -120.0
    assert -120.0 < residual[mask].max() < 0.0


def test_costly_figures_are_left_out_on_request(run):
    full, quick = (make_frame(run.context, run.state, {"image"}, measured) for measured in (True, False))
    assert full.point.misfit == pytest.approx(run.sampler.misfit(run.state))
    assert 0 < full.point.misfit < 1
    assert full.point.psnr > 15
    assert math.isnan(quick.point.misfit)
    assert math.isnan(quick.point.psnr)
    np.testing.assert_array_equal(full.arrays["image"], quick.arrays["image"])
    assert quick.point.moment == full.point.moment == (1, 4, 0)


@pytest.mark.parametrize("values", [{"map_sets": 2}, {"update_coils": False}])
def test_every_kind_of_state_can_be_looked_at(request_of, values):
    run = Run(request_of(**values))
    run.step()
    frame = make_frame(run.context, run.state, LIVE_ROLES)
    magnitude = run.sampler.estimate(run.state).magnitude
    assert frame.arrays["image"].shape == frame.arrays["tweedie"].shape == run.request.reference.shape
    scaled = magnitude * run.request.measurement.scale
    assert float(torch.as_tensor(frame.arrays["image"]).mean()) == pytest.approx(float(scaled.mean()), rel=0.3)
    assert frame.arrays["coil magnitude"].ndim == 3


def test_without_a_reference_there_is_no_error(request_of):
    run = Run(replace(request_of(), reference=None))
    frame = make_frame(run.context, run.state, LIVE_ROLES)
    assert "error" not in frame.arrays
    assert math.isnan(frame.point.ssim)
    assert {"mean", "deviation"}.isdisjoint(frame.arrays)


def test_curves_leave_out_what_was_not_measured(run):
    points = [make_frame(run.context, run.state, (), measured).point for measured in (True, False)]
    psnr = next(quantity for quantity in QUANTITIES if quantity.key == "psnr")
    step = next(quantity for quantity in QUANTITIES if quantity.key == "step_size")
    iterations, (values,) = curves_of(points, psnr, 3, chain=1)
    assert iterations.tolist() == [4.0]
    assert values[0] == points[0].psnr
    assert has_values(points, psnr)
    assert not has_values(points, step)
    assert nearest(np.array([0.0, 2.0, 9.0]), 3.5) == 1
    assert nearest(np.array([]), 3.5) is None
    assert levels_seen(points)[-1] == pytest.approx(points[0].sigma)
