"""Figures of uncertainty and noise (matplotlib): images, deviations on one scale, reliability curves, g-factors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from napari_pogmdm.arrays import white_of
from napari_pogmdm.evaluation.coverage import Errors, reliability
from napari_pogmdm.evaluation.noise_map import NoiseMap
from napari_pogmdm.evaluation.uncertainty import Spread
from napari_pogmdm.recon.figures import save_figure

_INK, _PAPER, _LINE, _RAW = "#e8e8e8", "#111418", "#f2c14e", "#7fb3d5"
_INCHES = 3.0  # width of an image


def save_spreads(found: Sequence[Spread], path: Path, title: str) -> None:
    """Draw mean, standard deviation and reliability for each mask, below each other.

    Parameters
    ----------
    found
        One for each mask.
    path
        PNG file to write.
    title
        Above it all.
    """
    height, width = found[0].mean.shape
    size = (_INCHES * len(found) + 0.9, _INCHES * (2 * height / width + 1) + 1.0)
    figure = Figure(figsize=size, facecolor=_PAPER, layout="constrained")
    axes = figure.subplots(3, len(found), squeeze=False)
    figure.suptitle(title.replace("$", r"\$"), color=_INK, fontsize=9)
    white, bright = white_of(found[0].mean), 100 * max(white_of(spread.deviation) for spread in found)
    for column, spread in enumerate(found):
        mean, deviation, curve = axes[:, column]
        mean.imshow(spread.mean, cmap="gray", vmin=0, vmax=white, interpolation="nearest")
        mean.set_title(f"mean, {spread.mask.acceleration:.2f}x", color=_INK, fontsize=8)
        shown = deviation.imshow(100 * spread.deviation, cmap="inferno", vmin=0, vmax=bright, interpolation="nearest")
        deviation.set_title(f"standard deviation, {100 * spread.inside:.2f} % inside", color=_INK, fontsize=8)
        for image in (mean, deviation):
            image.set_axis_off()
        draw_reliability(curve, [spread.errors], spread.factor)
    bar = figure.colorbar(shown, ax=list(axes[1]), shrink=0.8)
    bar.set_label("% of the maximum", color=_INK, fontsize=8)
    bar.ax.tick_params(colors=_INK, labelsize=7)
    save_figure(figure, path)


def save_noise_map(found: NoiseMap, path: Path, title: str) -> None:
    """Draw the image, its noise and its g-factor beside each other.

    Parameters
    ----------
    found
        By pseudo-replicas.
    path
        PNG file to write.
    title
        Above it all.
    """
    image = found.result.image
    height, width = image.shape
    white = white_of(image)
    figure = Figure(figsize=(3 * _INCHES + 1.8, _INCHES * height / width + 0.8), facecolor=_PAPER, layout="constrained")
    figure.suptitle(title.replace("$", r"\$"), color=_INK, fontsize=9)
    panels = (
        ("image", image, "gray", white, ""),
        ("noise map", 100 * found.deviation / white, "inferno", None, "% of white"),
        ("g-factor", found.g_factor, "viridis", None, ""),
    )
    for axes, (name, shown, colours, top, unit) in zip(figure.subplots(1, 3), panels, strict=True):
        drawn = axes.imshow(shown, cmap=colours, vmin=0, vmax=top or white_of(shown), interpolation="nearest")
        axes.set_title(name, color=_INK, fontsize=8)
        axes.set_axis_off()
        if name != "image":
            bar = figure.colorbar(drawn, ax=axes, shrink=0.8)
            bar.set_label(unit, color=_INK, fontsize=8)
            bar.ax.tick_params(colors=_INK, labelsize=7)
    save_figure(figure, path)


def draw_reliability(axes: Axes, cases: Sequence[Errors], factor: float) -> None:
    """Draw what intervals cover against what they claim, calibrated and as the chains are, and the ideal."""
    axes.set_facecolor(_PAPER)
    axes.plot((0, 100), (0, 100), color=_INK, lw=0.6, ls=":")
    for name, used, colour in (("chains", 1.0, _RAW), ("calibrated", factor, _LINE)):
        if name == "chains" or used != 1.0:
            curve = reliability(cases, used)
            axes.plot([100 * one for one, _ in curve], [100 * one for _, one in curve], color=colour, label=name)
    axes.set_aspect("equal")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_xlabel("claimed / %", color=_INK, fontsize=7)
    axes.set_ylabel("covered / %", color=_INK, fontsize=7)
    axes.tick_params(colors=_INK, labelsize=7)
    for spine in axes.spines.values():
        spine.set_edgecolor(_INK)
    axes.legend(fontsize=7, loc="upper left", framealpha=0, labelcolor=_INK)
