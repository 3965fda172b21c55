"""Figures of results (matplotlib): images with their errors, masks with their point spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from napari_pogmdm.arrays import white_of
from napari_pogmdm.files import whole_file
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.recon.metrics import Metrics

_ERROR_GAIN = 5  # errors are shown so much brighter than images; at 1 those of a few per cent could not be seen
_INK = "#e8e8e8"
_PAPER = "#111418"
_FRAME = "#f2c14e"
_WIDEST = 7  # images side by side; more go to the next band, or each would be too small to judge
_IMAGE_INCHES = 2.6  # width of an image beside others
_FLOOR_DECIBEL = -60  # of a point-spread function: a thousandth of its peak, where the sidelobes of masks have ended
_LETTERS = 11  # of a title at 9 points that fit into an inch, capitals among them
_DOTS = 150  # an inch; 390 pixels an image, about one for each of its own


@dataclass(frozen=True, eq=False)
class MethodImage:
    """The image that a method made.

    Attributes
    ----------
    name
        Of the method, for the caption.
    image
        (rows, columns).
    metrics
        Against the reference, where there is one.
    """

    name: str
    image: NDArray[np.float32]
    metrics: Metrics | None


def save_comparison(
    reference: NDArray[np.float32] | None, pictures: Sequence[MethodImage], path: Path, title: str
) -> None:
    """Draw images at the same contrast, an enlarged detail in each, and below each its error, brighter."""
    shown = list(pictures) if reference is None else [MethodImage("fully sampled", reference, None), *pictures]
    white = white_of(shown[0].image)
    bands = -(-len(shown) // _WIDEST)
    columns = -(-len(shown) // bands)  # as full as can be: seven and one would leave most of a band empty
    rows = 1 if reference is None else 2
    height, width = shown[0].image.shape
    figure = Figure(
        figsize=(_IMAGE_INCHES * columns, _IMAGE_INCHES * rows * bands * height / width + 1.1),
        facecolor=_PAPER,
        layout="constrained",
    )
    axes = figure.subplots(rows * bands, columns, squeeze=False)
    for empty in axes.flat:
        empty.set_axis_off()
    _entitle(figure, title)
    detail = busiest_square(shown[0].image)
    for place, picture in enumerate(shown):
        row, column = rows * (place // columns), place % columns
        _show(axes[row, column], picture.image, _caption(picture), white, "gray")
        _enlarge(axes[row, column], picture.image, detail, white)
        if picture.image is reference:
            _note(axes[row + 1, column], f"error, {_ERROR_GAIN}x brighter")
        elif reference is not None:
            _show(axes[row + 1, column], np.abs(picture.image - reference), "", white / _ERROR_GAIN, "inferno")
    save_figure(figure, path)


def save_mask_panel(mask: Mask, path: Path) -> None:
    """Draw a mask and the logarithm of its point-spread function."""
    figure = Figure(figsize=(6.4, 3.6), facecolor=_PAPER, layout="constrained")
    axes = figure.subplots(1, 2)
    _entitle(figure, mask.describe())
    _show(axes[0], mask.samples.astype(np.float32), "mask: measured samples of k-space", 1.0, "gray")
    decibels = 20 * np.log10(np.maximum(mask.point_spread(), 10 ** (_FLOOR_DECIBEL / 20)))
    drawn = axes[1].imshow(decibels, cmap="magma", vmin=_FLOOR_DECIBEL, vmax=0, interpolation="nearest")
    _show(axes[1], None, "point-spread function", 0, "magma")
    bar = figure.colorbar(drawn, ax=axes[1], shrink=0.8)
    bar.set_label("dB", color=_INK)
    bar.ax.tick_params(colors=_INK)
    save_figure(figure, path)


def _entitle(figure: Figure, title: str) -> None:
    """Write a title in as many lines as it takes; one image is narrower than the name of most scans."""
    lines = fill(title, int(figure.get_figwidth() * _LETTERS)).replace("$", r"\$")
    figure.suptitle(lines, color=_INK, fontsize=9)


def _show(axes: Axes, image: NDArray[np.float32] | None, caption: str, white: float, colours: str) -> None:
    if image is not None:
        axes.imshow(image, cmap=colours, vmin=0, vmax=white, interpolation="nearest")
    axes.set_title(caption, color=_INK, fontsize=8)
    axes.set_axis_off()


def busiest_square(image: NDArray[np.float32]) -> tuple[slice, slice]:
    """Find the square, a sixth of the image wide and not at its border, in which intensities change the most."""
    side = max(2, min(image.shape) // 6)
    changes = np.abs(np.diff(image, axis=0))[:, :-1] + np.abs(np.diff(image, axis=1))[:-1]
    summed = np.pad(changes, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    totals = summed[side:, side:] - summed[:-side, side:] - summed[side:, :-side] + summed[:-side, :-side]
    rim = [size // 4 for size in totals.shape]
    inner = totals[rim[0] : totals.shape[0] - rim[0], rim[1] : totals.shape[1] - rim[1]]
    row, column = np.unravel_index(int(np.argmax(inner)), inner.shape)
    top, left = int(row) + rim[0], int(column) + rim[1]
    return slice(top, top + side), slice(left, left + side)


def _enlarge(axes: Axes, image: NDArray[np.float32], detail: tuple[slice, slice], white: float) -> None:
    """Frame a detail and repeat it, enlarged, in the lower right corner."""
    rows, columns = detail
    height, width = rows.stop - rows.start, columns.stop - columns.start
    axes.add_patch(Rectangle((columns.start - 0.5, rows.start - 0.5), width, height, fill=False, ec=_FRAME, lw=0.8))
    inset = axes.inset_axes((0.6, 0.0, 0.4, 0.4 * image.shape[1] / image.shape[0]))
    inset.imshow(image[detail], cmap="gray", vmin=0, vmax=white, interpolation="nearest")
    inset.set_xticks([])
    inset.set_yticks([])
    for spine in inset.spines.values():
        spine.set_edgecolor(_FRAME)


def _note(axes: Axes, text: str) -> None:
    axes.set_axis_off()
    axes.text(0.5, 0.5, text, color=_INK, fontsize=9, ha="center", va="center", transform=axes.transAxes)


def _caption(picture: MethodImage) -> str:
    if picture.metrics is None:
        return picture.name
    return f"{picture.name}\n{picture.metrics.psnr:.2f} dB, SSIM {picture.metrics.ssim:.3f}"


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as PNG, whole or not at all."""
    with whole_file(path) as stream:
        figure.savefig(stream, format="png", dpi=_DOTS)
