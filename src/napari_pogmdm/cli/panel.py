"""Pictures for the terminal's users: images side by side with their errors, and masks with their point spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from napari_pogmdm.data.writer import atomic_path
from napari_pogmdm.physics.mask import Mask
from napari_pogmdm.recon.metrics import Metrics

_ERROR_GAIN = 5
_INK = "#e8e8e8"
_PAPER = "#111418"


@dataclass(frozen=True, eq=False)
class Picture:
    """A named image (rows, columns) with its metrics, where there is a reference."""

    name: str
    image: NDArray[np.float32]
    metrics: Metrics | None


def save_comparison(reference: NDArray[np.float32] | None, pictures: Sequence[Picture], path: Path, title: str) -> None:
    """Draw images in one row at the same contrast, and below each its error, five times brighter."""
    white = float(np.percentile(pictures[0].image if reference is None else reference, 99.8))
    columns = len(pictures) + (reference is not None)
    rows = 1 if reference is None else 2
    height, width = pictures[0].image.shape
    figure = Figure(figsize=(2.6 * columns, 2.6 * rows * height / width + 1.1), facecolor=_PAPER, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    figure.suptitle(title.replace("$", r"\$"), color=_INK, fontsize=9)
    if reference is not None:
        _show(axes[0, 0], reference, "fully sampled", white, "gray")
        _note(axes[1, 0], f"error, {_ERROR_GAIN}x brighter")
    for column, picture in enumerate(pictures, start=columns - len(pictures)):
        _show(axes[0, column], picture.image, _caption(picture), white, "gray")
        if reference is not None:
            _show(axes[1, column], np.abs(picture.image - reference), "", white / _ERROR_GAIN, "inferno")
    save_figure(figure, path)


def save_mask_panel(mask: Mask, path: Path) -> None:
    """Draw a mask and the logarithm of its point-spread function."""
    figure = Figure(figsize=(6.4, 3.6), facecolor=_PAPER, layout="constrained")
    axes = figure.subplots(1, 2)
    figure.suptitle(mask.describe(), color=_INK, fontsize=9)
    _show(axes[0], mask.samples.astype(np.float32), "mask: measured samples of k-space", 1.0, "gray")
    decibels = 20 * np.log10(np.maximum(mask.point_spread(), 1e-3))
    drawn = axes[1].imshow(decibels, cmap="magma", vmin=-60, vmax=0, interpolation="nearest")
    _show(axes[1], None, "point-spread function", 0, "magma")
    bar = figure.colorbar(drawn, ax=axes[1], shrink=0.8)
    bar.set_label("dB", color=_INK)
    bar.ax.tick_params(colors=_INK)
    save_figure(figure, path)


def _show(axes: Axes, image: NDArray[np.float32] | None, caption: str, white: float, colours: str) -> None:
    if image is not None:
        axes.imshow(image, cmap=colours, vmin=0, vmax=white, interpolation="nearest")
    axes.set_title(caption, color=_INK, fontsize=8)
    axes.set_axis_off()


def _note(axes: Axes, text: str) -> None:
    axes.set_axis_off()
    axes.text(0.5, 0.5, text, color=_INK, fontsize=9, ha="center", va="center", transform=axes.transAxes)


def _caption(picture: Picture) -> str:
    if picture.metrics is None:
        return picture.name
    return f"{picture.name}\n{picture.metrics.psnr:.2f} dB, SSIM {picture.metrics.ssim:.3f}"


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, whole or not at all."""
    with atomic_path(path) as temporary:
        figure.savefig(temporary, format="png", dpi=150)
