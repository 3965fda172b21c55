"""Write the tables and pictures of docs/rivals.md from the folder of the evaluation that the page names.

    python tools/write_rivals_page.py tables

Run it where the evaluation ran: the paths of its scans are relative.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from napari_pogmdm.cli.reports.report import cell_of
from napari_pogmdm.cli.reports.tables import Row, ordered
from napari_pogmdm.evaluation.table import load_case
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.reading import read_array
from napari_pogmdm.recon.figures import save_figure

DOCS = Path(__file__).parents[1] / "docs"
TABLES = {"t1": "T1 head, as in the training", "t2": "T2 head", "knee": "knee"}
"""Folders of scans, and the first heading of their tables on the page."""

NAMES = {
    "zero-filled": "zero-filled",
    "cg-sense": "CG-SENSE",
    "joint-tv": "joint total variation",
    "unet": "U-Net",
    "varnet": "VarNet",
    "jsense": "Deep J-Sense",
    "pogmdm": "`pogmdm`, `fast`",
}
SHOWN = ("joint-tv", "varnet", "pogmdm")  # methods of the picture: the best without learning, the best rival, and ours
MASKS = ("C4/8", "C4/8r")
WHITE = 0.8  # of the largest value: skin outshines the brain
TIMES = 5  # by which errors are shown brighter


def family(row: Row) -> str:
    """Name a method without its weights."""
    return str(row["method"]).partition(":")[0]


def read_rows(folder: Path) -> list[Row]:
    """Read the rows of an evaluation that have numbers; of one that ran twice, the later counts."""
    lines = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for line in lines if line for row in [json.loads(line)] if "error" not in row]
    return list({(row["file"], row["mask"], family(row)): row for row in rows}.values())


def table(rows: Sequence[Row], heading: str) -> str:
    """Write the mean PSNR of every method and mask."""
    masks = ordered(rows, "mask")
    lines = [f"| {heading} | " + " | ".join(masks) + " |", "|---|" + "---:|" * len(masks)]
    for method in sorted({family(row) for row in rows}, key=[*NAMES].index):
        found = [[row["psnr"] for row in rows if row["mask"] == mask and family(row) == method] for mask in masks]
        cells = [f"{np.mean(values):.1f}" if values else "–" for values in found]
        lines.append(f"| {NAMES[method]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def with_tables(page: str, rows: Sequence[Row]) -> str:
    """Put new tables in the place of the page's."""
    for folder, heading in TABLES.items():
        found = [row for row in rows if Path(row["file"]).parent.name == folder]
        pattern = re.compile(rf"^\| {re.escape(heading)} \|.*(?:\n\|.*)*", re.MULTILINE)
        places = list(pattern.finditer(page))
        if found and len(places) != 1:
            raise SystemExit(f"The page has no table {heading!r}, or several.")
        if found:
            page = page[: places[0].start()] + table(found, heading) + page[places[0].end() :]
    return page


def draw(rows: Sequence[Row], folder: Path, path: Path) -> None:
    """Draw one T1 slice by some methods with both masks: images above, errors below."""
    # the uppermost: the terms of the volume forbid to publish slices at or below the eyes
    file = max(row["file"] for row in rows if Path(row["file"]).parent.name == "t1")
    chosen = {(row["mask"], family(row)): row for row in rows if row["file"] == file}
    figure = Figure(figsize=(5.6, 1.85 * 2 * len(MASKS)), layout="constrained")  # inches: four heads a line
    axes = figure.subplots(2 * len(MASKS), 1 + len(SHOWN))
    for place in axes.flat:
        place.set_axis_off()
    for line, mask in enumerate(MASKS):
        images, errors = axes[2 * line], axes[2 * line + 1]
        *_, measurement, reference = load_case(cell_of(chosen[mask, SHOWN[0]]))
        white = WHITE * float(reference.max())
        assert isinstance(measurement.sampling, Mask)
        pictures = [(images[0], reference, white, "reference"), (errors[0], measurement.sampling.samples, 1, mask)]
        for column, method in enumerate(SHOWN, start=1):
            row = chosen[mask, method]
            image = read_array(folder / row["image"])
            title = f"{NAMES[method].replace('`', '')}, {row['psnr']:.1f} dB"
            pictures.append((images[column], image, white, title))
            pictures.append((errors[column], np.abs(image - reference), white / TIMES, f"error × {TIMES}"))
        for place, picture, top, title in pictures:
            place.imshow(picture, cmap="gray", vmin=0, vmax=top)
            place.set_title(title, fontsize=6)
    save_figure(figure, path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="output of evaluate --report paper")
    given = parser.parse_args().folder
    evaluated = read_rows(given)
    page = DOCS / "rivals.md"
    page.write_text(with_tables(page.read_text(encoding="utf-8"), evaluated), encoding="utf-8")
    shutil.copy(given / "boxes-in-distribution.png", DOCS / "images" / "rivals.png")
    draw(evaluated, given, DOCS / "images" / "rivals-failure.png")
