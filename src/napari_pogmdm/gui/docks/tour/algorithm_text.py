"""The sampler's algorithm in words and formulas, with the numbers of the moment filled in."""

from __future__ import annotations

import math
from dataclasses import dataclass

from napari_pogmdm.gui.docks.tour.numbers import residual_text
from napari_pogmdm.recon.sampler.algorithms.by_name import noise_schedule
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.runs.status import RunStatus, TracePoint


@dataclass(frozen=True)
class AlgorithmLine:
    """A line of the algorithm.

    Attributes
    ----------
    name, formula
        As rich text; the noise levels, the paper's ζ, are σ here as everywhere.
    numbers
        Its numbers at this moment.
    tex
        The formula once more, to be typeset.
    """

    name: str
    formula: str
    numbers: str
    tex: str = ""


_TITLES = {
    "predict": "predict",
    "data": "data step",
    "correct": "correct",
    "coils": "coils",
    "denoise": "denoise",
    "draw": "draw",
    "renoise": "renoise",
}
_GRADIENT = "∇log <i>p</i>"
_FORMULAS = {
    "predict": f"<i>x</i> ← <i>x</i> + (σ<sub>i</sub>² − σ<sub>i−1</sub>²) {_GRADIENT}(<i>x</i>, σ<sub>i</sub>) "
    "+ √(σ<sub>i</sub>² − σ<sub>i−1</sub>²) <i>z</i>",
    "data": "<i>x</i> ← <i>x</i> − λ ∇<sub>x</sub><i>D</i>(<i>x</i>, <i>s</i>)",
    "correct": f"<i>x</i> ← <i>x</i> + ε {_GRADIENT}(<i>x</i>, σ<sub>i−1</sub>) + √(2ε) <i>z</i>, "
    "ε = 2<i>r</i> ‖<i>z</i>‖² / ‖∇log <i>p</i>‖²",
    "coils": "<i>s</i> ← (I + βL)<sup>−1</sup> (<i>s</i> − α ∇<sub>s</sub><i>D</i>(<i>x</i>, <i>s</i>))",
    "denoise": "<i>x</i><sub>0</sub> ← E[<i>x</i><sub>0</sub> | <i>x</i> + η σ<sub>i</sub> <i>z</i>]",
    "estimate": "<i>x</i><sub>0</sub> ← E[<i>x</i><sub>0</sub> | <i>x</i>] at level σ<sub>i</sub>",
    "draw": "<i>x</i>, <i>s</i> ~ exp(−‖A(<i>x</i>, <i>s</i>) − <i>y</i>‖² / 2σ<sub>y</sub>² "
    "− ‖<i>x</i> − <i>x</i><sub>0</sub>‖² / 2(<i>c</i>σ<sub>i</sub>)² − β<i>R</i>(<i>s</i>) / 2)",
    "renoise": "<i>x</i> ← <i>x</i> + η σ<sub>i+1</sub> <i>z</i>",
    "solve": "<i>x</i> ← argmin ‖A<i>x</i> − <i>y</i>‖² + <i>w</i> ‖<i>x</i> − <i>x</i><sub>0</sub>‖²",
}

_TEX = {
    "predict": r"x \leftarrow x + (\sigma_i^2 - \sigma_{i-1}^2)\,\nabla\log p(x, \sigma_i) "
    r"+ \sqrt{\sigma_i^2 - \sigma_{i-1}^2}\; z",
    "data": r"x \leftarrow x - \lambda\,\nabla_x D(x, s)",
    "correct": r"x \leftarrow x + \varepsilon\,\nabla\log p(x, \sigma_{i-1}) + \sqrt{2\varepsilon}\; z",
    "coils": r"s \leftarrow (I + \beta L)^{-1}\,(s - \alpha\,\nabla_s D(x, s))",
    "denoise": r"x_0 \leftarrow E[x_0\,|\,x + \eta\,\sigma_i\,z]",
    "estimate": r"x_0 \leftarrow E[x_0\,|\,x]",
    "draw": r"x, s \sim \exp(-\|A(x,s)-y\|^2/2\sigma_y^2 - \|x-x_0\|^2/2(c\,\sigma_i)^2 - \beta R(s)/2)",
    "renoise": r"x \leftarrow x + \eta\,\sigma_{i+1}\,z",
    "solve": r"x \leftarrow \mathrm{argmin}\,\|Ax - y\|^2 + w\,\|x - x_0\|^2",
}


def algorithm_lines(settings: SamplerSettings, status: RunStatus, point: TracePoint | None) -> list[AlgorithmLine]:
    """Write the lines of one iteration.

    Parameters
    ----------
    settings
        Of the run.
    status
        Where it stands; ``status.substep`` is the line that comes next.
    point
        Its newest numbers.
    """
    solves = settings.uses("prior_weight")  # the data step is a least-squares solve, and not a gradient step
    levels = noise_schedule(settings)
    here = min(status.iteration, len(levels) - 1)
    unit = status.sigma / levels[here] if settings.uses("relative_levels") and status.sigma else 1.0
    before, after = unit * levels[here], unit * levels[min(here + 1, len(levels) - 1)]
    other = {"data": "solve"} if solves else {}
    if settings.uses("draw_width"):
        other = {"predict": "estimate"}
    lines = []
    for name in status.plan:
        formula = _FORMULAS[other.get(name, name)]
        numbers = _numbers(name, settings, before, after, point)
        lines.append(AlgorithmLine(_TITLES.get(name, name), formula, numbers, _TEX[other.get(name, name)]))
    return lines


def algorithm_html(lines: list[AlgorithmLine], current: int | None, colour: str) -> str:
    """Lay the lines out as rich text; the current one stands out with its numbers below it."""
    rows = []
    for number, line in enumerate(lines):
        text = f"{number + 1}&nbsp;&nbsp;<b>{line.name}</b>: {line.formula}"
        if number == current:
            text = f'<span style="background-color:{colour}">▶ {text}</span>'
        if line.numbers:
            text += f"<br>&nbsp;&nbsp;&nbsp;&nbsp;<i>{line.numbers}</i>"
        rows.append(f"<p style='margin:2px 0'>{text}</p>")
    return "".join(rows)


def _numbers(name: str, settings: SamplerSettings, before: float, after: float, point: TracePoint | None) -> str:
    residual = "" if point is None or not math.isfinite(point.misfit) else f"residual {residual_text(point.misfit)}"
    if name == "draw":
        width = f"c σ = {settings.draw_width * before:.3g}"
        return f"{width}; {residual}" if residual else width
    if name == "renoise":
        return f"η = {settings.injected_noise:g}, fresh noise {settings.injected_noise * after:.3g}"
    if name == "predict" and settings.uses("draw_width"):
        return f"sigma = {before:.4g}"
    if name == "predict":
        gap = before**2 - after**2
        return f"{before:.4g}² − {after:.4g}² = {gap:.3g}, fresh noise {math.sqrt(max(gap, 0.0)):.3g}"
    if name == "denoise":
        return f"sigma = {before:.4g}, fresh noise {settings.injected_noise * before:.3g}"
    if name == "correct":
        if point is None or not point.step_size:
            return f"step ratio r = {settings.corrector_ratio:g}"
        return f"step ratio r = {settings.corrector_ratio:g}; the last ε was {point.step_size:.3g}"
    if name == "data":
        own = f"κ = {settings.prior_weight:g}" if settings.uses("prior_weight") else f"λ = {settings.data_step:g}"
        return f"{own}; {residual}" if residual else own
    own = f"α = {settings.coil_step:g}, β = {settings.coil_smoothing:g}"
    if point is None:
        return own
    low, high = point.coil_range
    return f"{own}; RSS(s) from {low:.2f} to {high:.2f}"
