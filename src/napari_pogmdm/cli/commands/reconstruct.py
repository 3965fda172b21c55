"""``napari-pogmdm reconstruct``: from undersampled k-space to images."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.pool import PoolOptions
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

if TYPE_CHECKING:
    from napari_pogmdm.cli.jobs.slice_job import FinishedSlice
    from napari_pogmdm.cli.run_slices import ScanPlan


@grouped
def reconstruct(
    context: typer.Context,
    *,
    source: Annotated[
        str | None,
        typer.Argument(
            help=f"{BUNDLED_OR_FILE}; or a folder of such files. A record (--settings) names its own.",
            autocompletion=complete_bundled,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="HDF5 file to write, in fastMRI's submission layout; by default SOURCE-result.h5 in this folder. "
            "For a folder of scans, the folder for their results; by default SOURCE-results.",
        ),
    ] = None,
    request: ReconstructionRequest,
    settings: Annotated[
        Path | None,
        typer.Option(
            help="Repeat a recorded run (JSON, or a result file); options that are given replace those of the record. "
            "Or settings of pogmdm as JSON."
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Keep finished chains in this file (one for each slice), and continue from those that it "
            "already holds."
        ),
    ] = None,
    device: DeviceOption = Device.AUTO,
    progress: Annotated[
        ProgressStyle, typer.Option(help="A bar for people, or lines of JSON on the error stream for programs.")
    ] = ProgressStyle.BAR,
    png: Annotated[
        Path | None, typer.Option(help="Also draw the (first) slice beside its reference into this file.")
    ] = None,
    places: PoolOptions,
) -> None:
    """Reconstruct a scan from the samples it has, or undersample a full one and print how close the image is."""
    from napari_pogmdm.cli.jobs.folder import is_folder_of_scans, plan_folder, results_folder
    from napari_pogmdm.cli.run_plan import plan_runs, read_settings_file
    from napari_pogmdm.cli.run_slices import ScanPlan, run_slices
    from napari_pogmdm.recon.sampler.settings import ALIKE
    from napari_pogmdm.runs.repeat import files_of, reading_of, scan_of
    from napari_pogmdm.runtime.device import choose_device

    several = source is not None and is_folder_of_scans(source)
    written = {"--output": None if several else output, "--png": png, "--resume": resume}
    check_outputs(written, (source, settings, request.coil_maps, request.model, *request.sampling.files))
    given = given_options(context)
    repeated, bare = read_settings_file(settings)
    if source is None:
        if not repeated:
            raise InputError("SOURCE: name a scan, or give the record of a run with --settings.")
        source = scan_of(repeated[0])
    again = bool(repeated) and "device" not in given
    chosen = choose_device(repeated[0].device.split(":")[0] if again else places.device(device)).name
    options = request.scan
    if repeated and "source" not in given:
        options = options.again(reading_of(repeated[0]), given)

    def plan(source: str, output: Path) -> ScanPlan:
        scan = options.open(places.found(source))
        return ScanPlan(places.found(source), scan, plan_runs(request, given, scan, repeated, bare), output)

    left_out: list[str] = []
    if several:
        if png is not None or resume is not None:
            raise InputError(f"{'--resume' if png is None else '--png'}: is for one scan, and {source} has several.")
        plans = list(plan_folder(source, results_folder(source, output), plan, left_out.append))
    else:
        output = output or free_name(source)
        check_outputs(
            {**written, "--output": output}, (source, *(file for record in repeated for file in files_of(record)))
        )
        plans = [plan(source, output)]
    for sentence in left_out:
        typer.secho(sentence, fg="yellow", err=True)
    if any(run.chains_alike for one in plans for run in one.runs):
        typer.echo(ALIKE, err=True)
    if resume is not None and places.cluster is not None and len(plans[0].runs) > 1:
        raise InputError("--resume: with --cluster, it is for the chains of one slice; leave it out.")
    with places.open() as pool:
        stream = run_slices(plans, pool, device=chosen, resume=resume, drawn=png is not None, style=progress)
        with closing(stream):
            results = [_Outcome.of(one, found, several) for one, found in zip(plans, stream, strict=True)]
    for outcome in results:  # when no bar stands in the terminal any more
        outcome.tell(png)
    failed = sum(outcome.failed for outcome in results)
    if failed:
        raise InputError(f"{source}: {failed} of {len(plans)} scans have no result; see the sentences above.")


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What is to be said about a scan; of its images, the first is kept for a figure."""

    remarks: list[str]
    lines: list[str]
    title: str = ""
    first: FinishedSlice | None = None
    failed: bool = False

    @classmethod
    def of(cls, plan: ScanPlan, found: list[FinishedSlice] | InputError, several: bool) -> _Outcome:
        name = plan.scan.name
        if isinstance(found, InputError):
            if not several:
                raise found
            return cls([f"{name}: {found}"], [], failed=True)
        remarks = [remark for one in found for remark in one.remarks()]
        lines = [*([name] if several else []), *(one.summary() for one in found), str(plan.output)]
        return cls(remarks, lines, f"{name}: {found[0].mask}", found[0])

    def tell(self, png: Path | None) -> None:
        from napari_pogmdm.recon.figures import save_comparison

        for remark in self.remarks:
            typer.secho(remark, fg="yellow" if self.failed else None, err=True)
        for line in self.lines:
            typer.echo(line)
        if png is not None and self.first is not None and self.first.shown is not None:
            save_comparison(self.first.reference, [self.first.shown], png, title=self.title)
            typer.echo(str(png))
