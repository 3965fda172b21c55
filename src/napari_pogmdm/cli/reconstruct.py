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
    Source,
    keep_apart,
    mask_for,
    output_path,
    slice_indices,
)
from napari_pogmdm.errors import InputError

if TYPE_CHECKING:
    from napari_pogmdm.recon.methods import SamplerMethod


def reconstruct(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="HDF5 file to write, in fastMRI's submission layout.")],
    slice_: Annotated[str, typer.Option("--slice", help="A number, 'middle' or 'all'.")] = "middle",
    method: Annotated[str, typer.Option(help="zero-filled, cg-sense, tv, joint-tv or pogmdm.")] = "pogmdm",
    model: Annotated[str, typer.Option(help="Prior of pogmdm: a name from 'models', or a weight file.")] = "flf-tc",
    preset: Annotated[str, typer.Option(help="Settings of pogmdm: paper, default or fast.")] = "default",
    settings: Annotated[
        Path | None, typer.Option(help="Settings of pogmdm from a JSON file, or from the record of an earlier run.")
    ] = None,
    chains: Annotated[int, typer.Option(help="Chains of pogmdm to average; from 2 on there is a variance.")] = 1,
    seed: Seed = 0,
    mask: MaskWish = "auto",
    acceleration: Acceleration = 4.0,
    acl: Acl = 0.08,
    axis: Axis = "columns",
    mask_seed: MaskSeed = 42,
    coils: Coils = 8,
    prewhiten: Prewhiten = False,
    exclude_padding: ExcludePadding = False,
    device: Device = "auto",
    png: Annotated[Path | None, typer.Option(help="Also draw the (first) slice beside its reference here.")] = None,
) -> None:
    """Undersample a scan, reconstruct it, and say how close it came to the full one."""
    from napari_pogmdm.cli.panel import Picture, save_comparison
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.data.sources import open_scan
    from napari_pogmdm.data.writer import result_file
    from napari_pogmdm.recon.device import choose_device
    from napari_pogmdm.recon.measurement import reference_image, undersample
    from napari_pogmdm.recon.methods import SamplerMethod, run_method, run_sampler
    from napari_pogmdm.recon.metrics import compare
    from napari_pogmdm.recon.presets import preset as preset_named

    output_path(output, "--output")
    output_path(png, "--png")
    keep_apart(source, output, png)
    sampler = None
    if settings is not None and method != "pogmdm":
        raise InputError(f"--settings: are those of pogmdm, but --method asks for {method}.")
    if settings is not None:
        sampler = sampler_from_file(settings, SamplerMethod(model, None, chains, seed))
    elif method == "pogmdm":
        sampler = SamplerMethod(model, preset_named(preset), chains, seed)
    chosen = choose_device(device)
    scan = open_scan(source)
    indices = slice_indices(slice_, len(scan))
    records: list[dict[str, Any]] = []
    pictures: list[Picture] = []
    reference = None
    with result_file(output, len(indices)) as results, progress_bar() as begin:
        for row, index in enumerate(indices):
            acquisition = scan[index]
            made = mask_for(acquisition, mask, acceleration, acl, axis, mask_seed)
            measurement = undersample(
                acquisition,
                made,
                coils=coils or None,
                prewhiten=prewhiten,
                exclude_padding=exclude_padding,
                device=chosen.name,
            )
            progress = begin(f"{method}, slice {index}")
            if sampler is not None:
                result = run_sampler(sampler, measurement, progress)
            else:
                result = run_method(method, measurement, progress=progress)
            results.add(row, result.arrays())
            truth = None if prewhiten else reference_image(acquisition)
            metrics = None if truth is None else compare(truth, result.image)
            records.append({"slice": index, **asdict(result.record), "metrics": metrics and asdict(metrics)})
            if row == 0:
                reference, pictures = truth, [Picture(result.record.method, result.image, metrics)]
        results.record(json.dumps(records, indent=2))
    for entry in records:
        typer.echo(_summary(entry))
    typer.echo(str(output))
    if png is not None:
        save_comparison(reference, pictures, png, title=f"{scan.name}: {measurement.mask.describe()}")
        typer.echo(str(png))


def sampler_from_file(path: Path, fallback: SamplerMethod) -> SamplerMethod:
    """Read a run's settings: bare ones, or a record that also names model, seed and chains."""
    from napari_pogmdm.recon.methods import SamplerMethod
    from napari_pogmdm.recon.settings import SamplerSettings

    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"--settings: {str(path)[:80]} is not a readable JSON file.") from error
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        raise InputError(f"--settings: {path} holds neither settings nor the record of a run.")
    try:
        if "settings" not in data:
            return SamplerMethod(fallback.model, SamplerSettings.from_dict(data), fallback.chains, fallback.seed)
        run = data.get("sampler") or {}
        return SamplerMethod(
            str(run.get("model", fallback.model)),
            SamplerSettings.from_dict(data["settings"]),
            int(run.get("chains", fallback.chains)),
            int(run.get("seed", fallback.seed)),
        )
    except InputError as error:
        raise InputError(f"--settings: {path}: {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"--settings: {path} is not laid out like settings or the record of a run.") from error


def _summary(entry: dict[str, Any]) -> str:
    metrics = entry["metrics"]
    if not isinstance(metrics, dict):
        return f"slice {entry['slice']}: {entry['method']} in {entry['seconds']:.1f} s (no reference to compare with)"
    return (
        f"slice {entry['slice']}: {entry['method']} PSNR {metrics['psnr']:.2f} dB, SSIM {metrics['ssim']:.3f}, "
        f"NMSE {metrics['nmse']:.4f}, {entry['seconds']:.1f} s"
    )
