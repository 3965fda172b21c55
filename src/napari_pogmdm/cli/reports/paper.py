"""The layout of the paper's tables: in distribution, other contrast, other anatomy; box plots; where methods fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from napari_pogmdm.cli.reports.tables import Row, label, ordered
from napari_pogmdm.evaluation.rival_choices import learned_parameters
from napari_pogmdm.evaluation.table import load_case
from napari_pogmdm.files import write_file
from napari_pogmdm.reading import read_array
from napari_pogmdm.recon.figures import save_figure
from napari_pogmdm.recon.metrics import HEADINGS

GROUPS = ("in distribution", "contrast shift", "anatomy shift")
"""Parts of the paper's evaluation, in its order."""

# field of a row, its title, by what to multiply it, decimals as the paper has them, and whether more is better
_NUMBERS = (
    ("psnr", HEADINGS["psnr"], 1.0, 2, True),
    ("ssim", HEADINGS["ssim"], 1.0, 2, True),
    ("nmse", f"{HEADINGS['nmse']} × 100", 100.0, 2, False),
)
_MOST_FAILURES = 6  # lines of the page: what fits on one


def write_paper_report(rows: Sequence[Row], groups: Mapping[str, str], folder: Path) -> str:
    """Write paper.md with a table and box plots a group, and the page of failures.

    Parameters
    ----------
    rows
        Of the evaluation, with the paths of their images from the folder on.
    groups
        One of `GROUPS` for every scan.
    folder
        Where the images are, and the report goes.

    Returns
    -------
    The tables as Markdown.
    """
    parts = []
    for group in GROUPS:
        found = [row for row in rows if groups[row["file"]] == group]
        if found:
            name = f"boxes-{group.replace(' ', '-')}.png"
            _boxes(found, folder / name)
            scans = len(ordered(found, "file"))
            parts.append(f"## {group.capitalize()}\n\n{scans} scans.\n\n{group_table(found)}\n\n![{group}]({name})")
    failures(rows, folder)
    tables = "\n\n".join(parts)
    page = "## Failures\n\nThe lowest PSNR of each method, beside the best image of the same samples."
    write_file(folder / "paper.md", f"# The paper's tables\n\n{tables}\n\n{page}\n\n![failures](failures.png)\n")
    return tables


def group_table(rows: Sequence[Row]) -> str:
    """Write PSNR, SSIM and NMSE of every method, masks as columns; the best of each is bold."""
    masks, methods = ordered(rows, "mask"), ordered(rows, "method")
    lines = ["| method | | " + " | ".join(masks) + " | parameters |", "|---|---|" + "---:|" * (len(masks) + 1)]
    means = {
        (field, method, mask): [factor * row[field] for row in rows if row["method"] == method and row["mask"] == mask]
        for field, _, factor, _, _ in _NUMBERS
        for method in methods
        for mask in masks
    }
    for method in methods:
        count = learned_parameters(method)
        for place, (field, title, _, digits, high) in enumerate(_NUMBERS):
            cells = []
            for mask in masks:
                others = [np.mean(means[field, one, mask]) for one in methods if means[field, one, mask]]
                best = (max if high else min)(others, default=float("nan"))
                cells.append(_cell(means[field, method, mask], digits, float(best)))
            first, last = ("", "") if place else (label(method), f"{count:,}" if count else "–")
            lines.append(f"| {first} | {title} | " + " | ".join(cells) + f" | {last} |")
    return "\n".join(lines)


def _cell(values: Sequence[float], digits: int, best: float) -> str:
    if not values:
        return "failed"
    mean = float(np.mean(values))
    text = f"{mean:.{digits}f}" + (f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else "")
    return f"**{text}**" if mean == best else text


def _boxes(rows: Sequence[Row], path: Path) -> None:
    """Draw a box a mask for each method: median as a line, mean as a diamond, outliers as circles."""
    masks, methods = ordered(rows, "mask"), ordered(rows, "method")
    # inches: a column wide enough for its title, a line high enough for names at its feet
    figure = Figure(figsize=(1.2 + 1.9 * len(methods), 2.8), layout="constrained")
    axes = figure.subplots(1, len(methods), squeeze=False, sharey=True)[0]
    for column, method in zip(axes, methods, strict=True):
        values = [[r["psnr"] for r in rows if r["mask"] == mask and r["method"] == method] for mask in masks]
        column.boxplot(
            values,
            tick_labels=masks,
            widths=0.6,
            showmeans=True,
            meanprops={"marker": "D", "markersize": 4, "markerfacecolor": "black", "markeredgecolor": "black"},
            flierprops={"marker": "o", "markersize": 4},
        )
        column.set_title(label(method), fontsize=9)
        column.tick_params(labelsize=8, axis="y")
        column.tick_params(labelsize=7, axis="x", rotation=45)
        column.grid(axis="y", alpha=0.3)
    axes[0].set_ylabel(HEADINGS["psnr"], fontsize=8)
    save_figure(figure, path)


def worst_rows(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Pick the cell of each method that lies furthest below the best of the same samples, and that best one."""
    best: dict[tuple[str, str], Row] = {}
    for row in rows:
        cell = row["file"], row["mask"]
        if cell not in best or row["psnr"] > best[cell]["psnr"]:
            best[cell] = row
    pairs = []
    for method in ordered(rows, "method"):
        own = [(row, best[row["file"], row["mask"]]) for row in rows if row["method"] == method]
        worst = max(own, key=lambda pair: pair[1]["psnr"] - pair[0]["psnr"])
        if worst[0] is not worst[1]:
            pairs.append(worst)
    return sorted(pairs, key=lambda pair: pair[0]["psnr"] - pair[1]["psnr"])[:_MOST_FAILURES]


def failures(rows: Sequence[Row], folder: Path) -> None:
    """Draw the worst image of each method beside its reference, its error and the best image of the same samples."""
    from napari_pogmdm.cli.reports.report import cell_of

    chosen = worst_rows(rows)
    figure = Figure(figsize=(8.8, 2.5 * max(1, len(chosen))), layout="constrained")  # inches: four images a line
    axes = figure.subplots(max(1, len(chosen)), 4, squeeze=False)
    for place in axes.flat:
        place.set_axis_off()
    for line, (row, best) in zip(axes, chosen, strict=False):
        *_, reference = load_case(cell_of(row))
        image, other = (read_array(folder / one["image"]) for one in (row, best))
        white = float(reference.max())
        shown = (
            (reference, f"{Path(row['file']).name}, {row['mask']}", white),
            (image, f"{label(row['method'])}, {row['psnr']:.2f} dB", white),
            (np.abs(image - reference), "error × 5", white / 5),
            (other, f"{label(best['method'])}, {best['psnr']:.2f} dB", white),
        )
        for column, (picture, title, top) in zip(line, shown, strict=True):
            column.imshow(picture, cmap="gray", vmin=0, vmax=top)
            column.set_title(title, fontsize=8)
    save_figure(figure, folder / "failures.png")
