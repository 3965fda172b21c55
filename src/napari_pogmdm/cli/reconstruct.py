"""``napari-pogmdm reconstruct``: from undersampled k-space to images."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

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
    Source,
    mask_for,
    output_path,
    slice_indices,
)


def reconstruct(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="HDF5 file to write, in fastMRI's submission layout.")],
    slice_: Annotated[str, typer.Option("--slice", help="A number, 'middle' or 'all'.")] = "middle",
    method: Annotated[str, typer.Option(help="zero-filled, cg-sense, tv or joint-tv.")] = "joint-tv",
    mask: MaskWish = "cartesian",
    acceleration: Acceleration = 4.0,
    acl: Acl = 0.08,
    axis: Axis = "columns",
    seed: MaskSeed = 42,
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
    from napari_pogmdm.recon.metrics import compare
    from napari_pogmdm.recon.reconstruct import reconstruct as run

    output_path(output, "--output")
    output_path(png, "--png")
    chosen = choose_device(device)
    scan = open_scan(source)
    indices = slice_indices(slice_, len(scan))
    records = []
    pictures: list[Picture] = []
    reference = None
    with result_file(output, len(indices)) as results, progress_bar() as begin:
        for row, index in enumerate(indices):
            acquisition = scan[index]
            made = mask_for(acquisition, mask, acceleration, acl, axis, seed)
            measurement = undersample(
                acquisition,
                made,
                coils=coils or None,
                prewhiten=prewhiten,
                exclude_padding=exclude_padding,
                device=chosen.name,
            )
            result = run(measurement, method, progress=begin(f"{method}, slice {index}"))
            results.add(row, result.arrays())
            truth = None if prewhiten else reference_image(acquisition)
            metrics = None if truth is None else compare(truth, result.image)
            records.append({"slice": index, **asdict(result.record), "metrics": metrics and asdict(metrics)})
            if row == 0:
                reference, pictures = truth, [Picture(method, result.image, metrics)]
        results.record(json.dumps(records, indent=2))
    for entry in records:
        typer.echo(_summary(entry["slice"], method, entry))
    typer.echo(str(output))
    if png is not None:
        save_comparison(reference, pictures, png, title=f"{scan.name}: {made.describe()}")
        typer.echo(str(png))


def _summary(index: int, method: str, entry: dict[str, object]) -> str:
    metrics = entry["metrics"]
    if not isinstance(metrics, dict):
        return f"slice {index}: {method} in {entry['seconds']:.1f} s (no reference to compare with)"
    return (
        f"slice {index}: {method} PSNR {metrics['psnr']:.2f} dB, SSIM {metrics['ssim']:.3f}, "
        f"NMSE {metrics['nmse']:.4f}, {entry['seconds']:.1f} s"
    )
