"""Rows of an evaluation, computed side by side and kept on disk, so that one that was stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch

from napari_pogmdm.evaluation.table import Cell, CellResult, run_cell
from napari_pogmdm.files import append_line, whole_file

_FILE = "rows.jsonl"


def all_rows(
    cells: Sequence[Cell], folder: Path, processes: int, progress: Callable[[int, int], None]
) -> list[dict[str, Any]]:
    """Give the rows of all cells in their order; those that an earlier run has left are not computed again.

    Parameters
    ----------
    cells
        To compute.
    folder
        For rows and images; it has a folder ``images``.
    processes
        How many cells to compute side by side.
    progress
        Called with the cells done and the cells in all.
    """
    keys = [cell.key for cell in cells]
    rows = _finished(folder)
    missing = [cell for cell, key in zip(cells, keys, strict=True) if key not in rows]
    already = len(cells) - len(missing)
    progress(already, len(cells))
    if missing:
        append_line(folder / _FILE, "")  # an earlier run may have been cut off in the middle of a line
        for done, result in enumerate(_results(missing, processes), start=already + 1):
            _keep_image(folder, result)
            append_line(folder / _FILE, json.dumps(result.row))
            rows[result.row["key"]] = result.row
            progress(done, len(cells))
    return [rows[key] for key in keys]


def _finished(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the rows of an earlier run; failed ones, cut-off lines and rows without their image are left out."""
    journal = folder / _FILE
    rows: dict[str, dict[str, Any]] = {}
    for line in journal.read_text(errors="replace").splitlines() if journal.exists() else []:
        try:
            row = json.loads(line)
            if (folder / row["image"]).is_file():
                rows[row["key"]] = row
        except (ValueError, KeyError, TypeError):
            continue
    return rows


def _results(cells: Sequence[Cell], processes: int) -> Iterator[CellResult]:
    """Compute cells in this process, or in several, where they come in the order in which they are done."""
    if processes <= 1:
        yield from map(run_cell, cells)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_one_thread) as pool:
        try:
            for finished in as_completed([pool.submit(run_cell, cell) for cell in cells]):
                yield finished.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _one_thread() -> None:
    torch.set_num_threads(1)


def _keep_image(folder: Path, result: CellResult) -> None:
    if result.image is not None:
        result.row["image"] = f"images/{result.row['key']}.npy"
        with whole_file(folder / result.row["image"]) as stream:
            np.save(stream, result.image)
