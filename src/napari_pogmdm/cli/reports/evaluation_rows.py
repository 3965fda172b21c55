"""Rows of an evaluation, computed side by side and kept on disk, so that one that was stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from napari_pogmdm.evaluation.method_names import parse_sampler
from napari_pogmdm.evaluation.table import Cell, CellJob, CellResult, run_cell
from napari_pogmdm.files import append_line, whole_file
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.reading import check_held, is_file, read_array, reading
from napari_pogmdm.runtime.pool.pool import Lost, Pool, run_jobs

_FILE = "rows.jsonl"


def all_rows(
    cells: Sequence[Cell], folder: Path, pool: Pool, progress: Callable[[int, int], None]
) -> list[dict[str, Any]]:
    """Give the rows of all cells in their order; those that an earlier run has left are not computed again.

    Parameters
    ----------
    cells
        To compute.
    folder
        For rows and images; it has a folder ``images``.
    pool
        Where to compute them.
    progress
        Called with the cells done and the cells in all.
    """
    keys = [cell.key for cell in cells]
    rows = _finished(folder, dict(zip(keys, cells, strict=True)))
    missing = [cell for cell, key in zip(cells, keys, strict=True) if key not in rows]
    already = len(cells) - len(missing)
    progress(already, len(cells))
    if missing:
        append_line(folder / _FILE, "")  # an earlier run may have been cut off in the middle of a line
        for done, result in enumerate(_results(missing, pool), start=already + 1):
            _keep_image(folder, result)
            append_line(folder / _FILE, json.dumps(result.row))
            rows[result.row["key"]] = result.row
            progress(done, len(cells))
    return [rows[key] for key in keys]


def _finished(folder: Path, cells: dict[str, Cell]) -> dict[str, dict[str, Any]]:
    """Read the rows of an earlier run for some cells; what is not whole, row or image, is left out."""
    journal = folder / _FILE
    rows: dict[str, dict[str, Any]] = {}
    if not journal.exists():
        return rows
    with reading(journal, "journal of an evaluation", "remove it to start again"):
        check_held(journal.stat().st_size, 0, journal.name)
        lines = journal.read_text(errors="replace").splitlines()
    for line in lines:
        with suppress(ValueError, KeyError, TypeError, OverflowError, RecursionError):
            row = json.loads(line)
            key = row["key"]
            if key in cells and "error" not in row:
                rows[key] = _checked(row, cells[key], folder)
    return rows


def _checked(row: dict[str, Any], cell: Cell, folder: Path) -> dict[str, Any]:
    """Give a row with what was asked for now, or raise `ValueError`; its image lies where such images lie."""
    numbers: dict[str, float] = {name: float(row[name]) for name in ("psnr", "ssim", "nmse", "seconds")}
    extra: dict[str, float] = {name: float(row[name]) for name in ("coil_residual", "espirit_residual") if name in row}
    image = _image_of(cell.key)
    found = read_array(folder / image)
    if found.ndim != 2 or found.dtype.kind != "f" or not np.isfinite([*numbers.values(), *extra.values()]).all():
        raise ValueError
    if not np.isfinite(found).all():
        raise ValueError
    return {**asdict(cell), **numbers, **extra, "setting": str(row["setting"]), "key": cell.key, "image": image}


def _image_of(key: str) -> str:
    return f"images/{key}.npy"


def _results(cells: Sequence[Cell], pool: Pool) -> Iterator[CellResult]:
    """Compute cells, which come in the order in which they are done."""
    read = not pool.sees({cell.file for cell in cells})
    jobs = (CellJob.of(cell, read=read and is_file(cell.file)) for cell in cells)
    for _, found in run_jobs(pool, run_cell, jobs, {} if pool.here else _priors(cells), in_order=False):
        if isinstance(found, Lost):
            row = {**asdict(found.job.cell), "key": found.job.key}
            yield CellResult({**row, "error": f"{found.reason}; is there enough memory?"}, None)
        else:
            yield found


def _priors(cells: Sequence[Cell]) -> dict[str, ScorePrior]:
    """Load the priors of all samplers, to be sent to each worker once."""
    samplers = (parse_sampler(method) for method in {cell.method for cell in cells})
    return {one.model: load_prior(one.model) for one in samplers if one is not None}


def _keep_image(folder: Path, result: CellResult) -> None:
    if result.image is not None:
        result.row["image"] = _image_of(result.row["key"])
        with whole_file(folder / result.row["image"]) as stream:
            np.save(stream, result.image)
