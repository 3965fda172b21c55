"""The algorithm with the numbers of the moment."""

from __future__ import annotations

import math
from dataclasses import replace

from napari_pogmdm.gui.docks.tour.algorithm_text import algorithm_html, algorithm_lines
from napari_pogmdm.recon.sampler.algorithms.by_name import noise_schedule
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.status import RunStatus, TracePoint

PAPER = preset("paper")
PLAN = ("predict", "data", "correct", "data", "coils")
POINT = TracePoint(0, 10, 2, 0.4, 20.0, 0.5, 0.1, 0.1234, 0.0567, (0.91, 1.08))


def test_the_predictors_numbers_are_those_of_its_levels():
    levels = noise_schedule(PAPER)
    lines = algorithm_lines(PAPER, RunStatus(iteration=10, steps=200, plan=PLAN, substep=2), POINT)
    assert [line.name for line in lines] == ["predict", "data step", "correct", "data step", "coils"]
    gap = levels[10] ** 2 - levels[11] ** 2
    assert f"{levels[10]:.4g}² − {levels[11]:.4g}² = {gap:.3g}" in lines[0].numbers
    assert f"fresh noise {math.sqrt(gap):.3g}" in lines[0].numbers


def test_residual_corrector_step_and_coil_range_are_those_of_the_trace():
    lines = algorithm_lines(PAPER, RunStatus(iteration=10, steps=200, plan=PLAN, substep=2), POINT)
    assert lines[1].numbers == "λ = 1; residual 12.34 %"
    assert "0.0567" in lines[2].numbers
    assert "from 0.91 to 1.08" in lines[4].numbers


def test_the_end_of_a_run_and_a_run_without_numbers_are_no_trouble():
    unknown = replace(POINT, misfit=math.nan, step_size=0.0)
    lines = algorithm_lines(PAPER, RunStatus(iteration=200, steps=200, plan=PLAN), unknown)
    assert lines[1].numbers == "λ = 1"
    assert lines[2].numbers == "step ratio r = 0.16"
    assert algorithm_lines(PAPER, RunStatus(plan=PLAN), None)[4].numbers == "α = 1, β = 1"


def test_splitting_has_its_own_lines():
    settings = replace(preset("default"), largest_noise=0.3, injected_noise=0.2)
    lines = algorithm_lines(settings, RunStatus(steps=40, plan=("denoise", "data", "coils")), None)
    assert "argmin" in lines[1].formula
    assert lines[0].numbers == f"sigma = 0.3, fresh noise {0.2 * 0.3:.3g}"


def test_only_the_line_that_comes_next_is_marked():
    html = algorithm_html(algorithm_lines(PAPER, RunStatus(plan=PLAN), None), 2, "#123456")
    assert html.count("▶") == 1
    assert html.index("#123456") < html.index("<b>correct</b>")
    assert "▶" not in algorithm_html(algorithm_lines(PAPER, RunStatus(plan=PLAN), None), None, "#123456")
