"""Tables, box plots and a page of images for each mask, from the rows of an evaluation."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from matplotlib.figure import Figure

from napari_pogmdm.cli.reports.tables import Row, all_tables, label, ordered
from napari_pogmdm.evaluation.table import Cell, load_case
from napari_pogmdm.files import write_file
from napari_pogmdm.reading import read_array
from napari_pogmdm.recon.figures import MethodImage, save_comparison, save_figure
from napari_pogmdm.recon.metrics import HEADINGS, Metrics

_CELL_FIELDS = tuple(field.name for field in fields(Cell))
_COLUMNS = (*_CELL_FIELDS, "psnr", "ssim", "nmse", "seconds", "setting", "coil_residual", "espirit_residual")


def write_report(rows: Sequence[Row], folder: Path) -> str:
    """Write rows.csv, report.md, boxes.png and one page a mask.

    Parameters
    ----------
    rows
        Of the evaluation, with the paths of their images from the folder on.
    folder
        Where the images are, and the report goes.

    Returns
    -------
    The tables as Markdown.
    """
    table = all_tables(rows)
    lines = io.StringIO(newline="")
    writer = csv.DictWriter(lines, _COLUMNS, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    write_file(folder / "rows.csv", lines.getvalue())
    _boxes(rows, folder / "boxes.png")
    pages = [_page(rows, mask, folder) for mask in ordered(rows, "mask")]
    pictures = "\n\n".join(f"![{name}]({name})" for name in ("boxes.png", *pages))
    write_file(folder / "report.md", f"# Evaluation\n\n{table}\n\n{pictures}\n")
    return table


def cell_of(row: Row) -> Cell:
    """Say which cell a row came from."""
    return Cell(**{name: row[name] for name in _CELL_FIELDS if name in row})


def _boxes(rows: Sequence[Row], path: Path) -> None:
    masks, methods = ordered(rows, "mask"), ordered(rows, "method")
    # inches: a column wide enough for five ticks, a line high enough for its label, and margins for labels and titles
    figure = Figure(figsize=(2.2 * len(masks) + 1, 0.35 * len(methods) + 2), layout="constrained")
    axes = figure.subplots(1, len(masks), squeeze=False, sharey=True)[0]
    for column, mask in zip(axes, masks, strict=True):
        values = [[r["psnr"] for r in rows if r["mask"] == mask and r["method"] == method] for method in methods]
        column.boxplot(values, orientation="horizontal", tick_labels=[label(method) for method in methods], widths=0.6)
        column.set_title(mask, fontsize=9)
        column.set_xlabel(HEADINGS["psnr"], fontsize=8)
        column.tick_params(labelsize=8)
        column.grid(axis="x", alpha=0.3)
    axes[0].invert_yaxis()
    save_figure(figure, path)


def _page(rows: Sequence[Row], mask: str, folder: Path) -> str:
    """Draw the images of one scan for a mask, each with an enlarged detail and its errors."""
    first = next(row["file"] for row in rows if row["mask"] == mask)
    chosen = [row for row in rows if row["mask"] == mask and row["file"] == first]
    *_, reference = load_case(cell_of(chosen[0]))
    pictures = [
        MethodImage(
            label(row["method"]), read_array(folder / row["image"]), Metrics(row["psnr"], row["ssim"], row["nmse"])
        )
        for row in chosen
    ]
    name = f"images-{mask.replace('/', '-')}.png"
    save_comparison(reference, pictures, folder / name, title=f"{Path(first).name}, {mask}")
    return name
