"""``napari-pogmdm reconstruct``: from undersampled k-space to images."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from napari_pogmdm.cli.options import (
    Acceleration,
    Acl,
    Axis,
    Coils,
    Device,
    ExcludePadding,
    MaskSeed,
    MaskWish,
    Prewhiten,
    Seed,
    given_options,
    keep_apart,
    output_path,
)
from napari_pogmdm.errors import InputError

if TYPE_CHECKING:
    from napari_pogmdm.cli.run_plan import SliceRun
    from napari_pogmdm.recon.measurement import Measurement
    from napari_pogmdm.recon.result import Reconstruction
    from napari_pogmdm.recon.stepper import Progress


def reconstruct(
    context: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", help="HDF5 file to write, in fastMRI's submission layout.")],
    source: Annotated[
        str | None,
        typer.Argument(help="A fastMRI HDF5 file, or 'demo' (bundled scan), or 'phantom'; a record brings its own."),
    ] = None,
    slice_: Annotated[str, typer.Option("--slice", help="A number, 'middle' or 'all'.")] = "middle",
    method: Annotated[str, typer.Option(help="zero-filled, cg-sense, tv, joint-tv or pogmdm.")] = "pogmdm",
    model: Annotated[str, typer.Option(help="Prior of pogmdm: a name from 'models', or a weight file.")] = "flf-tc",
    preset: Annotated[str, typer.Option(help="Settings of pogmdm: paper, default or fast.")] = "default",
    settings: Annotated[
        Path | None,
        typer.Option(
            help="Repeat the run of a record (JSON, or a result file), with other options put in its place where they "
            "are given; or settings of pogmdm as JSON."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Change one setting, such as iterations=20; can be repeated.")
    ] = None,
    chains: Annotated[int, typer.Option(help="Chains of pogmdm to average; from 2 on there is a variance.")] = 1,
    seed: Seed = 0,
    resume: Annotated[
        Path | None,
        typer.Option(help="Keep finished chains in this file (one a slice), and go on from those it has already."),
    ] = None,
    coil_maps: Annotated[
        Path | None,
        typer.Option(
            help="Known coils: a .npy file (coils, rows, columns). They stay, unless --set update_coils=true."
        ),
    ] = None,
    mask: MaskWish = "auto",
    acceleration: Acceleration = 4.0,
    acl: Acl = 0.08,
    axis: Axis = "columns",
    mask_seed: MaskSeed = 42,
    coils: Coils = 8,
    prewhiten: Prewhiten = False,
    exclude_padding: ExcludePadding = False,
    noise_floor: Annotated[
        bool | None,
        typer.Option(help="Give the image the grey of a noisy reference, or not; by default as the scan has it."),
    ] = None,
    device: Device = "auto",
    png: Annotated[Path | None, typer.Option(help="Also draw the (first) slice beside its reference here.")] = None,
) -> None:
    """Undersample a scan, reconstruct it, and say how close it came to the full one."""
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.cli.run_plan import Wishes, plan_runs, read_settings
    from napari_pogmdm.data.result_file import result_file
    from napari_pogmdm.data.sources import open_scan
    from napari_pogmdm.recon.figures import MethodImage, save_comparison
    from napari_pogmdm.recon.measurement import reference_image
    from napari_pogmdm.recon.metrics import compare
    from napari_pogmdm.recon.sampler.algorithms.by_name import draws_noise
    from napari_pogmdm.recon.sampler.settings import ALIKE
    from napari_pogmdm.runs.repeat import scan_of
    from napari_pogmdm.runtime.device import choose_device

    output_path(output, "--output")
    output_path(png, "--png")
    output_path(resume, "--resume")
    wishes = Wishes(
        slice_, method, model, preset, tuple(set_ or ()), chains, seed, mask, acceleration, acl, axis, mask_seed,
        coils, prewhiten, exclude_padding, noise_floor, coil_maps, given_options(context),
    )  # fmt: skip
    repeated, bare = ([], None) if settings is None else read_settings(settings)
    if source is None:
        if not repeated:
            raise InputError("SOURCE: name a scan, or give the record of a run with --settings.")
        source = scan_of(repeated[0])
    keep_apart(source, output, png, resume)
    if repeated and "device" not in wishes.given:
        device = repeated[0].device.split(":")[0]
    chosen = choose_device(device)
    scan = open_scan(source)
    runs = plan_runs(wishes, len(scan), repeated, bare)
    if any(run.wishes.chains > 1 and run.wishes.method == "pogmdm" and not draws_noise(run.settings) for run in runs):
        typer.echo(ALIKE, err=True)
    records: list[dict[str, Any]] = []
    pictures: list[MethodImage] = []
    reference = None
    with result_file(output, len(runs)) as results, progress_bar() as begin:
        for row, run in enumerate(runs):
            acquisition = scan[run.index]
            measurement = run.measure(acquisition, chosen.name)
            told = begin(f"{run.wishes.method}, slice {run.index}")
            store = resume if resume is None or len(runs) == 1 else resume.with_stem(f"{resume.stem}-{run.index}")
            if len(runs) == 1 and run.wishes.chains > 1:
                result = _interruptible(run, measurement, told, store)
            else:
                result = run.reconstruct(measurement, told, store=store)
            results.add(row, result.arrays())
            truth = None if run.wishes.prewhiten else reference_image(acquisition)
            metrics = None if truth is None else compare(truth, result.image)
            records.append({"slice": run.index, **asdict(result.record), "metrics": metrics and asdict(metrics)})
            if row == 0:
                reference, pictures = truth, [MethodImage(result.record.method, result.image, metrics)]
        results.record(json.dumps(records, indent=2))
    for entry in records:
        typer.echo(_summary(entry))
    typer.echo(str(output))
    if png is not None:
        save_comparison(reference, pictures, png, title=f"{scan.name}: {measurement.mask.describe()}")
        typer.echo(str(png))


def _interruptible(run: SliceRun, measurement: Measurement, progress: Progress, store: Path | None) -> Reconstruction:
    """Run several chains; an interrupt keeps those that are done."""
    from napari_pogmdm.cli.interrupt import asking_to_stop

    with asking_to_stop("Stopping; the chains that are done will be kept.") as stop:
        try:
            return run.reconstruct(measurement, progress, stop, store)
        except InputError:
            if stop():
                raise KeyboardInterrupt from None
            raise


def _summary(entry: dict[str, Any]) -> str:
    metrics = entry["metrics"]
    if not isinstance(metrics, dict):
        return f"slice {entry['slice']}: {entry['method']} in {entry['seconds']:.1f} s (no reference to compare with)"
    return (
        f"slice {entry['slice']}: {entry['method']} PSNR {metrics['psnr']:.2f} dB, SSIM {metrics['ssim']:.3f}, "
        f"NMSE {metrics['nmse']:.4f}, {entry['seconds']:.1f} s"
    )
