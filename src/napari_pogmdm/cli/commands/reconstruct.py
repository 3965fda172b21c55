"""``napari-pogmdm reconstruct``: from undersampled k-space to images."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.reconstruction import ReconstructionRequest
from napari_pogmdm.cli.options.shared import (
    BUNDLED_OR_FILE,
    DeviceOption,
    ProgressStyle,
    complete_bundled,
    given_options,
)
from napari_pogmdm.cli.output_paths import check_outputs, free_name
from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.device import Device


@grouped
def reconstruct(
    context: typer.Context,
    *,
    source: Annotated[
        str | None,
        typer.Argument(help=f"{BUNDLED_OR_FILE}; a record brings its own.", autocompletion=complete_bundled),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="HDF5 file to write, in fastMRI's submission layout; else SOURCE-result.h5 in this folder.",
        ),
    ] = None,
    request: ReconstructionRequest,
    settings: Annotated[
        Path | None,
        typer.Option(
            help="Repeat the run of a record (JSON, or a result file), with other options put in its place where they "
            "are given; or settings of pogmdm as JSON."
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Keep finished chains in this file (one a slice), and go on from those it has already."),
    ] = None,
    device: DeviceOption = Device.AUTO,
    progress: Annotated[
        ProgressStyle, typer.Option(help="A bar for people, or lines of JSON on the error stream for programs.")
    ] = ProgressStyle.BAR,
    png: Annotated[Path | None, typer.Option(help="Also draw the (first) slice beside its reference here.")] = None,
) -> None:
    """Reconstruct a scan from the samples it has, or undersample a full one and say how close the image came."""
    from napari_pogmdm.cli.run_plan import plan_runs, read_settings_file
    from napari_pogmdm.cli.run_slices import run_slices
    from napari_pogmdm.recon.figures import save_comparison
    from napari_pogmdm.recon.sampler.settings import ALIKE
    from napari_pogmdm.runs.repeat import files_of, reading_of, scan_of
    from napari_pogmdm.runtime.device import choose_device

    written = {"--output": output, "--png": png, "--resume": resume}
    check_outputs(written, (source, settings, request.coil_maps, request.model, *request.sampling.files))
    given = given_options(context)
    repeated, bare = read_settings_file(settings)
    if source is None:
        if not repeated:
            raise InputError("SOURCE: name a scan, or give the record of a run with --settings.")
        source = scan_of(repeated[0])
    output = output or free_name(source)
    written["--output"] = output
    check_outputs(written, (source, *(file for record in repeated for file in files_of(record))))
    again = bool(repeated) and "device" not in given
    chosen = choose_device(repeated[0].device.split(":")[0] if again else device).name
    options = request.scan
    if repeated and "source" not in given:
        options = options.again(reading_of(repeated[0]), given)
    scan = options.open(source)
    runs = plan_runs(request, given, scan, repeated, bare)
    if any(run.chains_alike for run in runs):
        typer.echo(ALIKE, err=True)
    finished = run_slices(runs, scan, output, device=chosen, resume=resume, style=progress)
    for one in finished:
        for remark in one.remarks():
            typer.echo(remark, err=True)
        typer.echo(one.summary())
    typer.echo(str(output))
    if png is not None:
        first = finished[0]
        save_comparison(first.reference, [first.shown], png, title=f"{scan.name}: {first.mask}")
        typer.echo(str(png))
