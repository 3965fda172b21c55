"""A mask at a glance: its samples, its point-spread function, and its numbers."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from numpy.typing import NDArray
from qtpy.QtCore import Qt
from qtpy.QtGui import QImage, QPixmap
from qtpy.QtWidgets import QLabel, QSizePolicy

from napari_pogmdm.arrays import Doubles, FloatImage
from napari_pogmdm.physics.masks.mask import Mask, Samples
from napari_pogmdm.physics.trajectories.trajectory import Trajectory

SIDE = 132  # pixels: two of them fit beside each other into a dock
_BLACK_DECIBEL = -60.0  # as the layer of the point spread has it
_LINE_SHARE = 12  # a line is drawn as thick as this part of the image
_DARK_AND_BRIGHT = np.array([[24, 20, 48], [53, 224, 255]], dtype=np.uint8)  # the blue of the layer to draw on


class Thumbnail(QLabel):
    """A small picture of an array.

    Parameters
    ----------
    name, tip
        For screen readers, and the tooltip.
    """

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.setFixedSize(SIDE, SIDE)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setToolTip(tip)
        self.setAccessibleName(name)

    def show_samples(self, samples: Samples) -> None:
        """Draw measured samples bright on dark."""
        dark, bright = _DARK_AND_BRIGHT.astype(np.float64)
        share = _averaged(samples.astype(np.float64), SIDE)[..., None]
        self._draw(np.ascontiguousarray((dark + share * (bright - dark)).astype(np.uint8)))

    def show_places(self, positions: NDArray[np.float32]) -> None:
        """Draw the samples of a trajectory, the brighter the more there are in a pixel of the picture."""
        edges = np.linspace(-0.5, 0.5, SIDE + 1)
        count, _, _ = np.histogram2d(positions[:, 0], positions[:, 1], bins=(edges, edges))
        bright = np.log1p(count) / np.log1p(count.max())
        colours = _DARK_AND_BRIGHT[0] + bright[..., None] ** 0.5 * (
            _DARK_AND_BRIGHT[1] - _DARK_AND_BRIGHT[0].astype(float)
        )
        self._draw(np.ascontiguousarray(colours.astype(np.uint8)))

    def show_decibels(self, decibels: FloatImage) -> None:
        """Draw a point-spread function as its layer does, but a line of it thick enough to be seen."""
        grey = np.clip((_thickened(decibels) / -_BLACK_DECIBEL + 1) * 255, 0, 255).astype(np.uint8)
        self._draw(_coloured(grey, (colormaps["magma"](np.arange(256))[:, :3] * 255).astype(np.uint8)))

    def _draw(self, colours: NDArray[np.uint8]) -> None:
        rows, columns, _ = colours.shape
        image = QImage(colours.tobytes(), columns, rows, 3 * columns, QImage.Format.Format_RGB888)
        smooth = Qt.TransformationMode.SmoothTransformation
        self.setPixmap(QPixmap.fromImage(image).scaled(SIDE, SIDE, Qt.AspectRatioMode.IgnoreAspectRatio, smooth))


def _averaged(values: Doubles, side: int) -> Doubles:
    """Average an array over the pixels of a smaller picture exactly, so that regular patterns cause no moire."""
    for axis in (0, 1):
        count = values.shape[axis]
        if count <= side:
            continue
        sums = np.concatenate([np.zeros_like(np.take(values, [0], axis)), np.cumsum(values, axis)], axis)
        edges = np.linspace(0, count, side + 1)
        whole = edges.astype(int)
        part = np.expand_dims(edges - whole, 1 - axis)
        after = np.take(sums, np.minimum(whole + 1, count), axis)
        reached = np.take(sums, whole, axis) * (1 - part) + after * part
        values = np.diff(reached, axis=axis) * side / count
    return values


def _thickened(decibels: FloatImage) -> FloatImage:
    """Widen what lies on a single row or column, as with a mask of whole lines."""
    from scipy.ndimage import maximum_filter1d

    seen = decibels > _BLACK_DECIBEL
    for axis in (0, 1):
        if np.count_nonzero(seen.any(axis=1 - axis)) == 1:
            return maximum_filter1d(decibels, 1 + decibels.shape[axis] // _LINE_SHARE, axis=axis)
    return decibels


def _coloured(values: NDArray[np.uint8], colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(colours[values])


def numbers_of_places(trajectory: Trajectory) -> str:
    """Write what a trajectory is, as rich text."""
    samples, readouts = len(trajectory.positions), int(trajectory.readouts.max()) + 1
    lines = [
        f"<b>{trajectory.acceleration:.2f}x</b>: grid points over those next to a sample",
        f"{_spaced(samples)} samples along {readouts} readouts, on no grid",
        f"complete centre: {trajectory.centre[0]} x {trajectory.centre[1]}",
    ]
    return "<br>".join(lines)


def numbers_of(mask: Mask) -> str:
    """Write what came out of a mask's rule, or of drawing, as rich text."""
    rows, columns = mask.shape
    count = int(mask.samples.sum())
    height, width = mask.centre
    drawn = mask.asked_acceleration is None or bool(mask.edits)
    asked = "" if drawn else f" (asked {mask.asked_acceleration:g})"
    lines = [
        f"<b>{mask.acceleration:.2f}x</b> true acceleration{asked}",
        f"{_spaced(count)} of {_spaced(mask.samples.size)} samples, {100 * count / mask.samples.size:.1f} %",
    ]
    if height == rows and width > 1:
        lines.append(f"ACS: {width} central columns, {100 * width / columns:.1f} %")
    elif width == columns and height > 1:
        lines.append(f"ACS: {height} central rows, {100 * height / rows:.1f} %")
    else:
        lines.append(f"fully sampled centre: {height} x {width}" if height else "the very centre is not sampled")
    return "<br>".join(lines)


def _spaced(number: int) -> str:
    return f"{number:,}".replace(",", "\N{THIN SPACE}")
