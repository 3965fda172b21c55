"""``napari-pogmdm evaluate``: the paper's tables on any folder of scans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.pool import PoolOptions
from napari_pogmdm.cli.options.shared import (
    BUNDLED_OR_FILE,
    METHODS_HELP,
    ChainsOption,
    CoilsOption,
    MaskCodesOption,
    SeedOption,
    complete_bundled,
    listed,
)
from napari_pogmdm.cli.output_paths import make_folder
from napari_pogmdm.errors import InputError, printable
from napari_pogmdm.evaluation.peer import Peer
from napari_pogmdm.recon.defaults import DEFAULT_COILS
from napari_pogmdm.recon.method import Method

_METHODS = ",".join((Method.ZERO_FILLED, Method.TV, Method.JOINT_TV, Method.POGMDM))
_MASKS = "C4/8,C4/8r,C4/4,R11,G8"  # the columns of the paper's tables


class ReportLayout(StrEnum):
    """How ``evaluate`` lays out its tables."""

    PLAIN = "plain"
    PAPER = "paper"


@grouped
def evaluate(
    files: Annotated[
        list[str],
        typer.Argument(
            help=f"{BUNDLED_OR_FILE}; or folders of files. Middle slices are used.", autocompletion=complete_bundled
        ),
    ],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for tables, plots and rows.")],
    masks: MaskCodesOption = _MASKS,
    methods: Annotated[
        str,
        typer.Option(
            help=f"{METHODS_HELP} Also, where installed, {listed(Peer, 'and')}, each at its oracle-best setting."
        ),
    ] = _METHODS,
    chains: ChainsOption = 1,
    seed: SeedOption = 0,
    coils: CoilsOption = DEFAULT_COILS,
    single_coil: Annotated[
        bool, typer.Option("--single-coil", help="The synthetic protocol: one coil, real image, noise 0.02.")
    ] = False,
    null_space: Annotated[
        bool,
        typer.Option(
            "--null-space", help="Also judge the coils against the complete scan, with ESPIRiT's for comparison."
        ),
    ] = False,
    contrast_shift: Annotated[
        list[str] | None, typer.Option(help="Scans or folders of another contrast, for --report paper; repeated.")
    ] = None,
    anatomy_shift: Annotated[
        list[str] | None, typer.Option(help="Scans or folders of another anatomy, for --report paper; repeated.")
    ] = None,
    report: Annotated[ReportLayout, typer.Option(help="Layout of the tables.")] = ReportLayout.PLAIN,
    places: PoolOptions,
) -> None:
    """Run methods on scans and masks, and write tables, box plots and images; repeat it to continue after a stop."""
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.cli.reports.evaluation_rows import all_rows
    from napari_pogmdm.cli.reports.paper import write_paper_report
    from napari_pogmdm.cli.reports.report import write_report
    from napari_pogmdm.evaluation.rival_choices import learned_parameters
    from napari_pogmdm.evaluation.table import Cell

    if report is ReportLayout.PLAIN and (contrast_shift or anatomy_shift):
        raise InputError("evaluate: --contrast-shift and --anatomy-shift are for --report paper.")
    groups = _groups(files, contrast_shift or (), anatomy_shift or ())
    cells = [
        Cell(file, mask.strip(), method.strip(), chains, seed, coils, single_coil, null_space=null_space)
        for file in groups
        for mask in masks.split(",")
        for method in methods.split(",")
    ]
    for cell in cells:
        cell.check()
    for method in dict.fromkeys(cell.method for cell in cells):
        learned_parameters(method)  # reads its weights: a bad file is told before hours of work, not in every cell
    make_folder(output / "images", "--output")
    with places.open() as pool, progress_bar() as begin:
        rows = all_rows(cells, output, pool, begin("evaluate"))
    for row in rows:
        if "error" in row:
            sentence = f"{row['file']} {row['mask']} {row['method']}: {row['error']}"
            typer.secho(printable(sentence), fg="yellow", err=True)
    complete = [row for row in rows if "error" not in row]
    if not complete:
        raise InputError("evaluate: every cell failed; see the sentences above.")
    if report is ReportLayout.PAPER:
        typer.echo(write_paper_report(complete, groups, output))
        typer.echo(f"Report: {(output / 'paper.md').resolve()}")
        return
    typer.echo(write_report(complete, output))
    typer.echo(f"Report: {(output / 'report.md').resolve()}")


def _groups(*parts: Sequence[str]) -> dict[str, str]:
    """Give every scan its part of the paper's evaluation."""
    from napari_pogmdm.cli.reports.paper import GROUPS

    return {scan: group for group, files in zip(GROUPS, parts, strict=True) for scan in _scans(files)}


def _scans(files: Sequence[str]) -> Iterator[str]:
    from napari_pogmdm.cli.jobs.folder import is_folder_of_scans
    from napari_pogmdm.data.sources import scans_in

    for file in files:
        yield from map(str, scans_in(Path(file))) if is_folder_of_scans(file) else [file]
