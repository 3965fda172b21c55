"""The rows of an evaluation as Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from napari_pogmdm.evaluation.peers import PEERS
from napari_pogmdm.recon.metrics import HEADINGS

Row = dict[str, Any]
BEST_PEER = "best peer"
# field of a row, its title, by what to multiply it, and decimals that two runs of a table can tell apart
_NUMBERS = (
    ("psnr", HEADINGS["psnr"], 1.0, 2),
    ("ssim", HEADINGS["ssim"], 1.0, 3),
    ("nmse", f"{HEADINGS['nmse']} x 100", 100.0, 2),
    ("seconds", "seconds", 1.0, 2),
)


def ordered(rows: Sequence[Row], name: str) -> list[str]:
    """Give the different values of a field in the order in which they come."""
    return list(dict.fromkeys(row[name] for row in rows))


def label(method: str) -> str:
    """Shorten a method's name: of a file of settings, the last part of its path is enough."""
    return ":".join(Path(part).name if "/" in part else part for part in method.split(":"))


def all_tables(rows: Sequence[Row]) -> str:
    """Write mean and standard deviation over scans for each number, method and mask, and what follows from them."""
    best = best_peers(rows)
    tables = [number_table([*rows, *best], *number) for number in _NUMBERS]
    if best:
        tables.append(difference_table(rows, best))
    if any("coil_residual" in row for row in rows):
        tables.append(coil_table(rows))
    return "\n\n".join(tables)


def best_peers(rows: Sequence[Row]) -> list[Row]:
    """Pick, for each scan and mask, the peer with the highest PSNR; nothing if no peer was run."""
    peers: dict[tuple[str, str], Row] = {}
    for row in rows:
        cell = row["file"], row["mask"]
        if row["method"] in PEERS and (cell not in peers or row["psnr"] > peers[cell]["psnr"]):
            peers[cell] = {**row, "method": BEST_PEER}
    return list(peers.values())


def number_table(rows: Sequence[Row], name: str, title: str, factor: float, digits: int) -> str:
    """Write one number of each cell, a line a method and a column a mask.

    Parameters
    ----------
    rows
        Of the evaluation.
    name
        Field of a row.
    title
        What to call it, with its unit.
    factor
        By which to multiply it.
    digits
        After the decimal point.
    """
    masks = ordered(rows, "mask")
    lines = _heading(title, [*masks, "mean"])
    for method in ordered(rows, "method"):
        cells, means = [], []
        for mask in masks:
            values = [factor * row[name] for row in rows if row["mask"] == mask and row["method"] == method]
            if not values:
                cells.append("failed")
                continue
            means.append(float(np.mean(values)))
            spread = f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else ""
            cells.append(f"{means[-1]:.{digits}f}{spread}")
        lines.append(f"| {label(method)} | " + " | ".join(cells) + f" | {np.mean(means):.{digits}f} |")
    return "\n".join(lines)


def difference_table(rows: Sequence[Row], best: Sequence[Row]) -> str:
    """Write by how many decibels each of our methods lies above the best peer, scan by scan, on average."""
    peak = {(row["file"], row["mask"]): row["psnr"] for row in best}
    masks = ordered(best, "mask")
    lines = _heading("dB above the best peer", [*masks, "mean"])
    for method in (name for name in ordered(rows, "method") if name not in PEERS):
        means = []
        for mask in masks:
            values = [
                row["psnr"] - peak[row["file"], mask]
                for row in rows
                if row["mask"] == mask and row["method"] == method and (row["file"], mask) in peak
            ]
            means.append(float(np.mean(values)) if values else float("nan"))
        cells = ["failed" if np.isnan(mean) else f"{mean:+.2f}" for mean in means]
        lines.append(f"| {label(method)} | " + " | ".join(cells) + f" | {np.nanmean(means):+.2f} |")
    return "\n".join(lines)


def coil_table(rows: Sequence[Row]) -> str:
    """Write null-space residuals of the coils that methods found, and of ESPIRiT's from the same samples."""
    masks = ordered(rows, "mask")
    judged = [row for row in rows if "coil_residual" in row]
    lines = _heading("null-space residual / %", masks)
    for method in ordered(judged, "method"):
        lines.append(
            _coil_line(label(method), [row for row in judged if row["method"] == method], masks, "coil_residual")
        )
    first = ordered(judged, "method")[0]
    espirit = [row for row in judged if row["method"] == first and "espirit_residual" in row]
    lines.append(_coil_line("ESPIRiT", espirit, masks, "espirit_residual"))
    return "\n".join(lines)


def _coil_line(name: str, rows: Sequence[Row], masks: Sequence[str], field: str) -> str:
    found = [[100 * row[field] for row in rows if row["mask"] == mask] for mask in masks]
    return f"| {name} | " + " | ".join(f"{np.mean(cell):.2f}" if cell else "none" for cell in found) + " |"


def _heading(title: str, columns: Sequence[str]) -> list[str]:
    return [f"| {title} | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
