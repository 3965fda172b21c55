"""A figure for a paper or a slide: panels in columns that wrap, details, errors below, colour bars, a scale bar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file
from napari_pogmdm.recon.figures import busiest_square

ENDINGS = (".png", ".svg", ".pdf")
_DOTS = 300  # an inch, as journals ask for
_MILLIMETRES = 25.4  # an inch
_NARROWEST = 30.0  # millimetres of a panel in which anything can be judged
_ERROR_SHARE = 0.2  # of white, as in the window: errors are shown five times brighter
_POINTS = 7.0  # of letters, as journals ask for
_LETTER = 1.55  # millimetres that a letter of that size takes in width, capitals among them
_TITLE_INCHES = 0.14  # that a line of a title takes
_BAR_ROOM = 1.12  # of a panel's width: the last one of a row with its bar and the numbers beside it
_GAP = 0.01  # of an inch around panels, and of a panel between them
_EDGE = 0.012  # of the width that stays free at the right: numbers of a bar are as wide as they are drawn
_DETAIL = 0.38  # of a panel's width that the enlarged detail takes
_FRAME = "#f2c14e"
_SCALE_SHARE = 0.3  # of a panel's width that a scale bar takes at most


class FigureWidth(StrEnum):
    """How wide a figure is."""

    COLUMN = "one column, 85 mm"
    TEXT = "text width, 180 mm"
    SLIDE = "slide, 254 mm"

    @property
    def millimetres(self) -> float:
        """The width as a number."""
        return {FigureWidth.COLUMN: 85.0, FigureWidth.TEXT: 180.0, FigureWidth.SLIDE: 254.0}[self]


@dataclass(frozen=True)
class FigureStyle:
    """How a figure looks.

    Attributes
    ----------
    width
        Of the whole.
    columns
        Panels side by side; 0 for as many as can be judged.
    light
        Dark letters on white; else light ones on black.
    detail, errors, bars
        Whether a detail is enlarged in each panel, errors stand below images, and colour bars beside them.
    """

    width: FigureWidth = FigureWidth.TEXT
    columns: int = 0
    light: bool = True
    detail: bool = True
    errors: bool = True
    bars: bool = True


@dataclass(frozen=True, eq=False)
class FigurePanel:
    """A picture of a figure.

    Attributes
    ----------
    title
        Above it.
    image
        (rows, columns).
    limits
        Values of the first and the last colour.
    colours
        (n, 4) from 0 to 1; ``None`` for grey, which can have an error below it.
    unit
        Of the values, at the colour bar.
    """

    title: str
    image: NDArray[np.floating]
    limits: tuple[float, float]
    colours: NDArray[np.floating] | None = None
    unit: str = ""


def save_publication(
    panels: Sequence[FigurePanel],
    reference: NDArray[np.floating] | None,
    path: Path,
    style: FigureStyle,
    pixel: tuple[float, float] | None = None,
) -> None:
    """Draw panels into a file: PNG at 300 dots an inch, SVG or PDF, by the ending of its name.

    Parameters
    ----------
    panels
        From left to right, and then below.
    reference
        (rows, columns) of the fully sampled image, which errors are differences to; ``None`` draws none.
    path
        Of the file, which may exist.
    style
        How it looks.
    pixel
        Height and width of a pixel in millimetres, for a scale bar; ``None`` draws none.
    """
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"{path.name}: figures are saved as {', '.join(ENDINGS)}; choose one of these endings.")
    if not panels:
        raise InputError(f"{path.name}: there is nothing to draw; show a view with images first.")
    figure = draw_publication(panels, reference, style, pixel)
    with whole_file(path) as stream:
        figure.savefig(stream, format=path.suffix.lower()[1:], dpi=_DOTS, facecolor=figure.get_facecolor())


def draw_publication(
    panels: Sequence[FigurePanel],
    reference: NDArray[np.floating] | None,
    style: FigureStyle,
    pixel: tuple[float, float] | None = None,
) -> Figure:
    """Draw what `save_publication` saves."""
    wide = style.columns or columns_for(len(panels), style.width.millimetres)
    bands = math.ceil(len(panels) / wide)
    judged = [style.errors and _judged(panel, reference) for panel in panels]
    rows = 2 if any(judged) else 1
    height, width = panels[0].image.shape
    across = style.width.millimetres / _MILLIMETRES
    shape = height / width * ((pixel[0] / pixel[1]) if pixel else 1.0)
    side = across / (wide - 1 + (_BAR_ROOM if style.bars else 1.0))
    lines = max(_wrapped(panel.title, side).count("\n") + 1 for panel in panels)
    figure = Figure(
        figsize=(across, bands * (rows * side * shape + _TITLE_INCHES * (lines + 1 / 3))),
        facecolor="white" if style.light else "black",
        layout=ConstrainedLayoutEngine(w_pad=_GAP, h_pad=_GAP, wspace=_GAP, hspace=_GAP, rect=(0, 0, 1 - _EDGE, 1)),
    )
    axes = figure.subplots(rows * bands, wide, squeeze=False)
    for empty in axes.flat:
        empty.set_axis_off()
    square = busiest_square(np.asarray(panels[0].image if reference is None else reference, dtype=np.float32))
    aspect = 1.0 if pixel is None else pixel[0] / pixel[1]
    for place, panel in enumerate(panels):
        row, column = rows * (place // wide), place % wide
        last = column == wide - 1
        _show(axes[row, column], panel, style, aspect, barred=last or panel.colours is not None, side=side)
        if style.detail and panel.image.shape == panels[0].image.shape:
            _enlarge(axes[row, column], panel, square, aspect)
        if place == 0 and pixel is not None:
            _scale_bar(axes[row, column], panel.image.shape, pixel[1])
        if judged[place] and reference is not None:
            after = judged[place + 1 : (place // wide + 1) * wide]
            _show(axes[row + 1, column], _error_of(panel, reference), style, aspect, barred=not any(after), side=side)
    return figure


def columns_for(count: int, millimetres: float) -> int:
    """Choose columns so that panels can be judged and the last row is as full as can be."""
    most = max(1, int(millimetres // _NARROWEST))
    return math.ceil(count / math.ceil(count / most))


def _judged(panel: FigurePanel, reference: NDArray[np.floating] | None) -> bool:
    """Whether a panel is an image of the same slice, and not the reference itself."""
    if reference is None or panel.colours is not None or panel.image.shape != reference.shape:
        return False
    return panel.limits[0] >= 0 and not np.array_equal(panel.image, reference)


def _error_of(panel: FigurePanel, reference: NDArray[np.floating]) -> FigurePanel:
    white = panel.limits[1]
    error = 100 * np.abs(np.asarray(panel.image) - reference) / white
    colours = _named("inferno")(np.linspace(0, 1, 256))  # as fine as the eye sees
    return FigurePanel("", error, (0.0, 100 * _ERROR_SHARE), colours, "error / %")


def _named(name: str) -> Colormap:
    from matplotlib import colormaps

    return colormaps[name]


def _show(axes: Axes, panel: FigurePanel, style: FigureStyle, aspect: float, *, barred: bool, side: float) -> None:
    ink = "black" if style.light else "white"
    colours = _named("gray") if panel.colours is None else ListedColormap(panel.colours.tolist())
    axes.imshow(panel.image, cmap=colours, vmin=panel.limits[0], vmax=panel.limits[1], aspect=aspect)
    if panel.title:
        axes.set_title(_wrapped(panel.title, side), color=ink, fontsize=_POINTS, pad=2)
    if not style.bars or not barred:
        return
    scale = ScalarMappable(Normalize(*panel.limits), colours)
    where = axes.inset_axes((1.02, 0.0, 0.04, 1.0))
    bar = axes.figure.colorbar(scale, cax=where)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=_POINTS - 1, colors=ink, length=1.5, pad=1)
    if panel.unit:
        bar.set_label(panel.unit, color=ink, fontsize=_POINTS - 1, labelpad=1)


def _enlarge(axes: Axes, panel: FigurePanel, square: tuple[slice, slice], aspect: float) -> None:
    rows, columns = square
    corner, height = (columns.start - 0.5, rows.start - 0.5), rows.stop - rows.start
    axes.add_patch(Rectangle(corner, columns.stop - columns.start, height, fill=False, ec=_FRAME, lw=0.6))
    tall = _DETAIL * panel.image.shape[1] / panel.image.shape[0] / aspect
    inset = axes.inset_axes((1 - _DETAIL, 0.0, _DETAIL, tall))
    colours = _named("gray") if panel.colours is None else ListedColormap(panel.colours.tolist())
    inset.imshow(panel.image[square], cmap=colours, vmin=panel.limits[0], vmax=panel.limits[1], aspect="auto")
    inset.set_xticks([])
    inset.set_yticks([])
    for spine in inset.spines.values():
        spine.set_edgecolor(_FRAME)
        spine.set_linewidth(0.6)


def _scale_bar(axes: Axes, shape: tuple[int, ...], pixel: float) -> None:
    """Draw a bar of a round number of millimetres at the lower left."""
    most = _SCALE_SHARE * shape[1] * pixel
    power = 10 ** math.floor(math.log10(most))
    length = max(factor * power for factor in (1, 2, 5) if factor * power <= most)
    left, top = 0.04 * shape[1], 0.95 * shape[0]
    axes.plot([left, left + length / pixel], [top, top], color="white", lw=1.2, solid_capstyle="butt")
    axes.text(left, top - 0.02 * shape[0], f"{length:g} mm", color="white", fontsize=_POINTS - 1, va="bottom")


def _wrapped(title: str, side: float) -> str:
    """Break a title into lines that a panel of so many inches holds; dollars are no formulas."""
    return fill(title, max(8, int(side * _MILLIMETRES / _LETTER))).replace("$", r"\$")
