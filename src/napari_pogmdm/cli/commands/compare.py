"""``napari-pogmdm compare``: several methods on the same measurement."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from napari_pogmdm.cli.options import (
    Acceleration,
    Acl,
    Axis,
    Coils,
    Device,
    MaskSeed,
    MaskWish,
    Seed,
    Source,
    keep_apart,
    mask_for,
    output_path,
    slice_indices,
)
from napari_pogmdm.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from napari_pogmdm.recon.figures import MethodImage


def compare(
    source: Source,
    methods: Annotated[str, typer.Option(help="Methods to run, separated by commas.")] = (
        "zero-filled,cg-sense,tv,joint-tv,pogmdm:flf-tc:fast,pogmdm:flf-tc"
    ),
    slice_: Annotated[str, typer.Option("--slice", help="A number, or 'middle'.")] = "middle",
    mask: MaskWish = "auto",
    acceleration: Acceleration = 4.0,
    acl: Acl = 0.08,
    axis: Axis = "columns",
    mask_seed: MaskSeed = 42,
    chains: Annotated[int, typer.Option(help="Chains of pogmdm to average.")] = 1,
    seed: Seed = 0,
    coils: Coils = 8,
    device: Device = "auto",
    png: Annotated[Path | None, typer.Option(help="Draw all images and their errors here.")] = None,
) -> None:
    """Run several methods on one slice and print how close each came to the full scan."""
    from rich.console import Console

    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.data.sources import open_scan
    from napari_pogmdm.evaluation.method_names import check_method, run_method
    from napari_pogmdm.recon import metrics
    from napari_pogmdm.recon.figures import MethodImage, save_comparison
    from napari_pogmdm.recon.measurement import reference_image, undersample
    from napari_pogmdm.runtime.device import choose_device

    output_path(png, "--png")
    keep_apart(source, png)
    wanted = [name.strip() for name in methods.split(",")]
    if slice_ == "all":
        raise InputError("--slice: compare takes one slice; give its number, or 'middle'.")
    for name in wanted:
        check_method(name)
    chosen = choose_device(device)
    scan = open_scan(source)
    acquisition = scan[slice_indices(slice_, len(scan))[0]]
    made = mask_for(acquisition, mask, acceleration, acl, axis, mask_seed)
    measurement = undersample(acquisition, made, coils=coils or None, device=chosen.name)
    reference = reference_image(acquisition)
    if reference is None:
        raise InputError(f"{acquisition.source}: has no full scan to compare with; use reconstruct.")
    pictures, seconds = [], []
    with progress_bar() as begin:
        for name in wanted:
            result = run_method(name, measurement, chains=chains, seed=seed, progress=begin(name))
            pictures.append(MethodImage(name, result.image, metrics.compare(reference, result.image)))
            seconds.append(result.record.seconds)
    used = f"{measurement.kspace.shape[0]} of {acquisition.coils} coils"
    title = f"{acquisition.source}: {measurement.mask.describe()}, {used}"
    Console().print(_table(title, pictures, seconds))
    if png is not None:
        save_comparison(reference, pictures, png, title=title)
        typer.echo(f"Panel: {png.resolve()}")


def _table(title: str, pictures: list[MethodImage], seconds: list[float]) -> Table:
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("method")
    for heading in ("PSNR / dB", "SSIM", "NMSE", "seconds"):
        table.add_column(heading, justify="right")
    for picture, spent in zip(pictures, seconds, strict=True):
        scores = picture.metrics
        if scores is not None:
            table.add_row(
                picture.name, f"{scores.psnr:.2f}", f"{scores.ssim:.3f}", f"{scores.nmse:.4f}", f"{spent:.1f}"
            )
    return table
