"""``napari-pogmdm evaluate``: the paper's tables on any folder of scans."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from napari_pogmdm.cli.options import Coils, Seed
from napari_pogmdm.errors import InputError

if TYPE_CHECKING:
    from napari_pogmdm.evaluation.table import Cell, CellResult

_METHODS = "zero-filled,tv,joint-tv,pogmdm"


def evaluate(
    files: Annotated[list[str], typer.Argument(help="Scans, folders of scans, 'demo' or 'phantom'; middle slices.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for tables, plots and rows.")],
    masks: Annotated[str, typer.Option(help="Mask codes, separated by commas.")] = "C4/8,C4/8r,C4/4,R11,G8",
    methods: Annotated[
        str,
        typer.Option(
            help="zero-filled, cg-sense, tv, joint-tv, pogmdm[:model[:preset[:chains]]]; and, where they are "
            "installed, bart-tv, bart-wavelet, bart-nlinv, sigpy-l1wavelet at their oracle-best."
        ),
    ] = _METHODS,
    chains: Annotated[int, typer.Option(help="Chains of pogmdm to average.")] = 1,
    seed: Seed = 0,
    coils: Coils = 8,
    single_coil: Annotated[
        bool, typer.Option("--single-coil", help="The synthetic protocol: one coil, real image, noise 0.02.")
    ] = False,
    null_space: Annotated[
        bool, typer.Option("--null-space", help="Also judge the coils against the complete scan, beside ESPIRiT's.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Processes to run side by side.")] = 1,
) -> None:
    """Run methods on scans and masks and write tables, box plots and images; goes on where it was stopped."""
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.cli.report import write_report
    from napari_pogmdm.evaluation.table import Cell

    wanted = [
        Cell(file, mask.strip(), method.strip(), chains, seed, coils, single_coil, null_space=null_space)
        for file in _scans(files)
        for mask in masks.split(",")
        for method in methods.split(",")
    ]
    if not wanted:
        raise InputError("evaluate: found no scans; give fastMRI files or folders that hold some.")
    for cell in wanted:
        cell.check()
    try:
        (output / "images").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--output: {output} cannot be made a folder ({error.strerror}).") from error
    keys = [cell.key for cell in wanted]
    rows = _finished(output)
    missing = [cell for cell, key in zip(wanted, keys, strict=True) if key not in rows]
    with progress_bar() as begin, (output / "rows.jsonl").open("a") as journal:
        told = begin("evaluate")
        told(len(wanted) - len(missing), len(wanted))
        journal.write("\n")  # an earlier run may have been cut off in the middle of a line
        for done, result in enumerate(_results(missing, jobs), start=len(wanted) - len(missing) + 1):
            _keep_image(output, result)
            journal.write(json.dumps(result.row) + "\n")
            journal.flush()
            rows[result.row["key"]] = result.row
            told(done, len(wanted))
    failed = [rows[key] for key in keys if "error" in rows[key]]
    for row in failed:
        typer.secho(f"{row['file']} {row['mask']} {row['method']}: {row['error']}", fg="yellow", err=True)
    complete = [rows[key] for key in keys if "error" not in rows[key]]
    if not complete:
        raise InputError("evaluate: every cell failed; see the sentences above.")
    table = write_report(complete, output)
    typer.echo(table)
    typer.echo(f"Report: {(output / 'report.md').resolve()}")


def _scans(files: Sequence[str]) -> Iterator[str]:
    for file in files:
        path = Path(file)
        yield from sorted(str(found) for found in path.glob("*.h5")) if path.is_dir() else [file]


def _finished(output: Path) -> dict[str, dict[str, Any]]:
    """Read the rows of an earlier run; failed ones, cut-off lines and rows without their image are left out."""
    journal = output / "rows.jsonl"
    rows: dict[str, dict[str, Any]] = {}
    for line in journal.read_text(errors="replace").splitlines() if journal.exists() else []:
        try:
            row = json.loads(line)
            if (output / row["image"]).is_file():
                rows[row["key"]] = row
        except (ValueError, KeyError, TypeError):
            continue
    return rows


def _results(cells: Sequence[Cell], processes: int) -> Iterator[CellResult]:
    from napari_pogmdm.evaluation.table import run_cell

    if processes <= 1:
        yield from map(run_cell, cells)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_one_thread) as pool:
        try:
            for finished in as_completed([pool.submit(run_cell, cell) for cell in cells]):
                yield finished.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def _keep_image(output: Path, result: CellResult) -> None:
    import numpy as np

    if result.image is not None:
        result.row["image"] = f"images/{result.row['key']}.npy"
        np.save(output / result.row["image"], result.image)
