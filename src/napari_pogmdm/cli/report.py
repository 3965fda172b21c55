"""Tables, box plots and a page of images from the rows of an evaluation."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from napari_pogmdm.cli.panel import Picture, save_comparison, save_figure
from napari_pogmdm.data.writer import atomic_path
from napari_pogmdm.recon.evaluation import Job, load_case
from napari_pogmdm.recon.metrics import Metrics

Row = dict[str, Any]
_METRICS = (("psnr", "PSNR / dB", 1.0, 2), ("ssim", "SSIM", 1.0, 3), ("nmse", "NMSE x 100", 100.0, 2))
_JOB_FIELDS = ("file", "mask", "method", "chains", "seed", "coils", "single_coil", "device")


def write_report(rows: Sequence[Row], folder: Path) -> str:
    """Write rows.csv, report.md, boxes.png and one panel a mask; return the tables as Markdown."""
    table = "\n\n".join(_table(rows, *metric) for metric in (*_METRICS, ("seconds", "seconds", 1.0, 2)))
    with atomic_path(folder / "rows.csv") as temporary, temporary.open("w", newline="") as stream:
        names = (*_JOB_FIELDS, "psnr", "ssim", "nmse", "seconds", "setting")
        writer = csv.DictWriter(stream, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    _boxes(rows, folder / "boxes.png")
    panels = [_panel(rows, mask, folder) for mask in _ordered(rows, "mask")]
    pictures = "\n\n".join(f"![{name}]({name})" for name in ("boxes.png", *panels))
    with atomic_path(folder / "report.md") as temporary:
        temporary.write_text(f"# Evaluation\n\n{table}\n\n{pictures}\n")
    return table


def _ordered(rows: Sequence[Row], name: str) -> list[str]:
    return list(dict.fromkeys(row[name] for row in rows))


def _table(rows: Sequence[Row], name: str, title: str, factor: float, digits: int) -> str:
    masks = _ordered(rows, "mask")
    lines = [f"| {title} | " + " | ".join(masks) + " | mean |", "|---|" + "---:|" * (len(masks) + 1)]
    for method in _ordered(rows, "method"):
        cells, means = [], []
        for mask in masks:
            values = [factor * row[name] for row in rows if row["mask"] == mask and row["method"] == method]
            if not values:
                cells.append("failed")
                continue
            means.append(float(np.mean(values)))
            spread = f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else ""
            cells.append(f"{means[-1]:.{digits}f}{spread}")
        lines.append(f"| {method} | " + " | ".join(cells) + f" | {np.mean(means):.{digits}f} |")
    return "\n".join(lines)


def _boxes(rows: Sequence[Row], path: Path) -> None:
    masks, methods = _ordered(rows, "mask"), _ordered(rows, "method")
    figure = Figure(figsize=(2.2 * len(masks) + 1, 0.35 * len(methods) + 2), layout="constrained")
    axes = figure.subplots(1, len(masks), squeeze=False, sharey=True)[0]
    for column, mask in zip(axes, masks, strict=True):
        values = [[r["psnr"] for r in rows if r["mask"] == mask and r["method"] == method] for method in methods]
        column.boxplot(values, orientation="horizontal", tick_labels=methods, widths=0.6)
        column.set_title(mask, fontsize=9)
        column.set_xlabel("PSNR / dB", fontsize=8)
        column.tick_params(labelsize=8)
        column.invert_yaxis()
        column.grid(axis="x", alpha=0.3)
    save_figure(figure, path)


def _panel(rows: Sequence[Row], mask: str, folder: Path) -> str:
    """Draw the images of one scan for a mask."""
    first = next(row["file"] for row in rows if row["mask"] == mask)
    chosen = [row for row in rows if row["mask"] == mask and row["file"] == first]
    _, reference = load_case(Job(**{name: chosen[0][name] for name in _JOB_FIELDS}))
    pictures = [
        Picture(
            row["method"],
            np.load(folder / row["image"]),
            Metrics(row["psnr"], row["ssim"], row["nmse"]),
        )
        for row in chosen
    ]
    name = f"images-{mask.replace('/', '-')}.png"
    save_comparison(reference, pictures, folder / name, title=f"{Path(first).name}, {mask}")
    return name
