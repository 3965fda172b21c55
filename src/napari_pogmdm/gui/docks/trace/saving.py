"""Curves in files: the points as tables, and the plots once more as a drawing for print; no Qt in here."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from napari_pogmdm.files import whole_file, write_file
from napari_pogmdm.gui.docks.trace.curves import QUANTITIES, Curve, chains_of, curves_of, has_values
from napari_pogmdm.runs.status import TracePoint

_POINT = ("iteration", "substep", "sigma", "psnr", "ssim", "nmse", "misfit", "step_size")
_COLUMNS = ("chain", *_POINT[:-2], "residual", "corrector_step", "smallest_rss", "largest_rss")
_ALL = 100.0  # per cent

Reliability = tuple[Curve, Curve]
"""Per cent claimed and covered; both empty where nothing was judged."""


def save_tables(path: Path, trace: Sequence[TracePoint], reliability: Reliability) -> list[Path]:
    """Write the points as CSV, one row each, with every number; the reliability curve in a table of its own beside it.

    Parameters
    ----------
    path
        Of the points.
    trace
        Points of all chains.
    reliability
        If it is not empty, it is written to ``<name>-reliability.csv``.

    Returns
    -------
    Files that were written.
    """
    rows = [(point.chain + 1, *(getattr(point, name) for name in _POINT), *point.coil_range) for point in trace]
    write_file(path, _table(_COLUMNS, rows))
    if not reliability[0].size:
        return [path]
    beside = path.with_name(f"{path.stem}-reliability{path.suffix}")
    pairs = [(float(claimed), float(covered)) for claimed, covered in zip(*reliability, strict=True)]
    write_file(beside, _table(("claimed_percent", "covered_percent"), pairs))
    return [path, beside]


def save_drawing(
    path: Path,
    trace: Sequence[TracePoint],
    levels: Sequence[float],
    substeps: int,
    colours: Sequence[str],
    reliability: Reliability,
) -> None:
    """Draw the noise schedule, all curves and the reliability once more, for print, as SVG.

    Parameters
    ----------
    path
        File to write.
    trace
        Points of all chains.
    levels
        Sigma of every iteration.
    substeps
        Of an iteration.
    colours
        Of the chains, used in turn.
    reliability
        Left out if it is empty.
    """
    from matplotlib.figure import Figure

    shown = [quantity for quantity in QUANTITIES if has_values(trace, quantity)]
    judged = bool(reliability[0].size)
    count = 1 + len(shown) + judged
    figure = Figure(figsize=(3 * count, 2.6), layout="constrained")
    axes = figure.subplots(1, count, squeeze=False)[0]
    axes[0].plot(levels, color="0.3", linewidth=1.2)
    axes[0].set(yscale="log", title="sigma", xlabel="iteration")
    for place, quantity in zip(axes[1:], shown, strict=False):
        for chain in chains_of(trace):
            iterations, values = curves_of(trace, quantity, substeps, chain)
            for number, curve in enumerate(values):
                label = f"chain {chain + 1}" if number == 0 else None
                place.plot(iterations, curve, color=colours[chain % len(colours)], label=label, linewidth=1.2)
        place.set(title=quantity.title, xlabel="iteration", yscale="log" if quantity.logarithmic else "linear")
    if len(shown) and len(chains_of(trace)) > 1:
        axes[1].legend(frameon=False, fontsize="small")
    if judged:
        axes[-1].plot([0, _ALL], [0, _ALL], color="0.6", linestyle="--", linewidth=1)
        axes[-1].plot(*reliability, color=colours[0], linewidth=1.2)
        axes[-1].set(title="reliability", xlabel="claimed / %", ylabel="covered / %", xlim=(0, _ALL), ylim=(0, _ALL))
    with whole_file(path) as stream:
        figure.savefig(stream, format="svg")


def _table(columns: Sequence[str], rows: Iterable[Sequence[float]]) -> str:
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_text(number) for number in row])
    return lines.getvalue()


def _text(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.9g}"
