"""Figures of a prior (matplotlib): filters, spectra, potentials and time conditioning, and curves of its training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from napari_pogmdm.prior.model import Prior

PAPER_LEVELS = (0.0, 0.025, 0.05, 0.1, 0.2)
"""Noise levels sqrt(2t) of the paper's model figures."""

SPECTRUM_SIZE = 64  # frequencies a side of a drawn spectrum; more could not be told apart at the size of the panels
_SHEARLET_CROP = 25  # pixels a side; outside, shearlets of one and two scales have nearly faded
_POINTS = 401  # of a drawn potential; several for each of the 125 means
_HIGHEST = 8.0  # nats above the minimum: e^-8 of the density, below which nothing is learned and nothing is seen
_LARGEST_LEVEL = 0.5  # sqrt(2t) to which time conditioning is drawn; samplers begin at 0.49 or lower
_INK = "#1b1f24"


def draw_model(prior: Prior) -> Figure:
    """Draw filters, spectra and potentials of every filter, and how the variances follow the noise level.

    One column per filter in rows of ten: the filter on a symmetric colour scale of its own, its magnitude spectrum
    with zero frequency in the middle, and its potential -log psi_k at the paper's five noise levels.
    """
    count = prior.configuration.filters
    columns = min(10, count)
    blocks = -(-count // columns)
    figure = Figure(figsize=(1.35 * columns + 1.2, 4.2 * blocks + 3.6), layout="constrained", facecolor="white")
    figure.suptitle(
        f"{prior.name}: {count} filters, {prior.parameter_count} learned parameters", fontsize=16, color=_INK
    )
    panels: Any = figure.subfigures(blocks + 1, 1, height_ratios=[4.2] * blocks + [3.4])
    kernels = _shown_kernels(prior)
    spectra = torch.fft.fftshift(prior.spectra((SPECTRUM_SIZE, SPECTRUM_SIZE)).abs(), dim=(-2, -1)).numpy()
    for block in range(blocks):
        members = range(block * columns, min(count, (block + 1) * columns))
        _draw_block(panels[block], prior, kernels, spectra, members, columns)
    _draw_conditioning(panels[blocks], prior)
    return figure


def draw_curves(iterations: Sequence[int], qualities: Sequence[Sequence[float]], levels: Sequence[float]) -> Figure:
    """Draw validation PSNR against iterations, one curve per noise level."""
    figure = Figure(figsize=(7, 4), layout="constrained", facecolor="white")
    axes = figure.subplots()
    table = np.asarray(qualities, dtype=float).reshape(len(iterations), -1)
    for number, (level, colour) in enumerate(zip(levels, _colours(len(levels)), strict=True)):
        axes.plot(
            iterations, table[:, number], color=colour, label=rf"$\sigma$ = {level:g}: {table[-1, number]:.2f} dB"
        )
    axes.set_xlabel("iteration")
    axes.set_ylabel("validation PSNR in dB")
    axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes.grid(alpha=0.25)
    _plain(axes)
    return figure


def _shown_kernels(prior: Prior) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Take kernels as drawn; of a shearlet only the middle, where nearly all of it lies."""
    kernels = prior.filters
    size = kernels.shape[-1]
    if size > _SHEARLET_CROP:
        first = size // 2 - _SHEARLET_CROP // 2
        kernels = kernels[:, first : first + _SHEARLET_CROP, first : first + _SHEARLET_CROP]
    return kernels.numpy()


def _draw_block(
    panel: SubFigure,
    prior: Prior,
    kernels: np.ndarray[Any, Any],
    spectra: np.ndarray[Any, Any],
    members: range,
    columns: int,
) -> None:
    grid: Any = panel.subplots(3, columns, squeeze=False, gridspec_kw={"height_ratios": [1, 1, 1.25]})
    for axes in grid.flat:
        axes.set_visible(False)
    bound = prior.configuration.bound
    points = torch.linspace(-bound, bound, _POINTS, dtype=torch.float64)
    potentials = [prior.potentials(points, level) for level in PAPER_LEVELS]
    for column, k in enumerate(members):
        top, middle, bottom = grid[:, column]
        largest = np.abs(kernels[k]).max() or 1.0
        top.imshow(kernels[k], cmap="RdBu_r", vmin=-largest, vmax=largest, interpolation="nearest")
        top.set_title(f"{k + 1}", fontsize=10, color=_INK, pad=3)
        middle.imshow(spectra[k], cmap="magma", vmin=0, interpolation="nearest")
        for axes in (top, middle):
            axes.set_visible(True)
            axes.set_xticks([])
            axes.set_yticks([])
        bottom.set_visible(True)
        for level, values, colour in zip(PAPER_LEVELS, potentials, _colours(len(PAPER_LEVELS)), strict=True):
            curve = values[k].numpy()
            bottom.plot(points.numpy(), curve - curve.min(), color=colour, linewidth=1.2, label=f"{level:g}")
        bottom.set_ylim(0, min(_HIGHEST, 1.05 * max(1.0, float((potentials[0][k] - potentials[0][k].min()).max()))))
        bottom.set_xticks([-bound, 0, bound])
        bottom.tick_params(labelsize=7)
        _plain(bottom)
    for row, label in enumerate(("filter", "spectrum", "potential")):
        grid[row, 0].set_ylabel(label, fontsize=11, color=_INK)


def _draw_conditioning(panel: SubFigure, prior: Prior) -> None:
    left, right = panel.subplots(1, 2, gridspec_kw={"width_ratios": [1.6, 1]})
    levels = np.linspace(0, _LARGEST_LEVEL, 101)
    curves = np.stack([prior.variances(float(level)).sqrt().numpy() for level in levels])
    colours = colormaps["turbo"](np.linspace(0.05, 0.95, curves.shape[1]))
    for k in range(curves.shape[1]):
        left.plot(levels, curves[:, k], color=colours[k], linewidth=1.3)
    left.set_xlabel(r"noise level $\sqrt{2t}$")
    left.set_ylabel(r"deviation of the experts $\sigma_k(t)$")
    left.set_title(f"time conditioning: {prior.configuration.conditioning} rule", fontsize=11, color=_INK)
    _plain(left)
    bound = prior.configuration.bound
    points = torch.linspace(-bound, bound, _POINTS, dtype=torch.float64)
    for level, colour in zip(PAPER_LEVELS, _colours(len(PAPER_LEVELS)), strict=True):
        mean = prior.potentials(points, level).mean(0)
        right.plot(points.numpy(), (mean - mean.min()).numpy(), color=colour, label=rf"$\sqrt{{2t}}$ = {level:g}")
    right.set_xlabel("filter response")
    right.set_ylabel(r"$-\log\,\psi_k$, mean over filters")
    right.legend(frameon=False, fontsize=9)
    _plain(right)


def _colours(count: int) -> list[tuple[float, ...]]:
    return [tuple(colour) for colour in colormaps["viridis"](np.linspace(0.0, 0.85, count))]


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
