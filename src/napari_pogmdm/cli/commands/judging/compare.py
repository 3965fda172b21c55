"""``napari-pogmdm compare``: several methods on the same measurement."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.cli.options.shared import (
    METHODS_HELP,
    ChainsOption,
    CoilsOption,
    DeviceOption,
    OneSliceOption,
    SamplingOptions,
    SeedOption,
    SourceArgument,
)
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.defaults import DEFAULT_COILS, DEFAULT_MODEL
from napari_pogmdm.recon.method import CLASSICAL, WITH_SIGPY, Method
from napari_pogmdm.recon.sampler.presets import Preset
from napari_pogmdm.runtime.device import Device

if TYPE_CHECKING:
    from rich.table import Table

    from napari_pogmdm.recon.figures import MethodImage

_SAMPLER = f"{Method.POGMDM}:{DEFAULT_MODEL}"
_METHODS = ",".join([*(name for name in CLASSICAL if name not in WITH_SIGPY), f"{_SAMPLER}:{Preset.FAST}", _SAMPLER])


@grouped
def compare(
    source: SourceArgument,
    *,
    methods: Annotated[str, typer.Option(help=METHODS_HELP)] = _METHODS,
    slice_: OneSliceOption = "middle",
    scan: ScanOptions,
    sampling: SamplingOptions,
    chains: ChainsOption = 1,
    seed: SeedOption = 0,
    coils: CoilsOption = DEFAULT_COILS,
    device: DeviceOption = Device.AUTO,
    png: Annotated[Path | None, typer.Option(help="Draw all images and their errors into this file.")] = None,
) -> None:
    """Run several methods on one slice, and print how close each is to the full scan."""
    from rich.console import Console

    from napari_pogmdm.cli.measured_slice import measure_slice, open_slice
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.evaluation.method_names import check_method, files_in, run_method
    from napari_pogmdm.evaluation.speed import compile_ahead
    from napari_pogmdm.recon.figures import MethodImage, save_comparison
    from napari_pogmdm.recon.metrics import metrics
    from napari_pogmdm.runtime.device import choose_device

    wanted = [name.strip() for name in methods.split(",")]
    check_outputs({"--png": png}, (source, *sampling.files, *files_in(wanted)))
    for name in wanted:
        check_method(name)
    chosen = choose_device(device).name
    measured = measure_slice(open_slice(source, slice_, "compare", scan), sampling.recipe, coils, chosen)
    acquisition, measurement, reference = measured.acquisition, measured.measurement, measured.reference
    if reference is None:
        raise InputError(f"{acquisition.source}: has no full scan to compare with; use reconstruct.")
    compile_ahead(partial(typer.echo, err=True))
    images, seconds = [], []
    with progress_bar() as begin:
        for name in wanted:
            result = run_method(name, measurement, chains=chains, seed=seed, progress=begin(name))
            images.append(MethodImage(name, result.image, metrics(reference, result.image)))
            seconds.append(result.record.seconds)
    used = f"{measurement.kspace.shape[0]} of {acquisition.coils} coils"
    title = f"{acquisition.source}: {measurement.sampling.describe()}, {used}"
    Console().print(_table(title, images, seconds))
    if png is not None:
        save_comparison(reference, images, png, title=title)
        typer.echo(f"Panel: {png.resolve()}")


def _table(title: str, images: list[MethodImage], seconds: list[float]) -> Table:
    from rich.table import Table

    from napari_pogmdm.recon.metrics import HEADINGS

    table = Table(title=title, title_justify="left")
    table.add_column("method")
    for heading in (*HEADINGS.values(), "seconds"):
        table.add_column(heading, justify="right")
    for image, spent in zip(images, seconds, strict=True):
        scores = image.metrics
        if scores is not None:
            table.add_row(image.name, f"{scores.psnr:.2f}", f"{scores.ssim:.3f}", f"{scores.nmse:.4f}", f"{spent:.1f}")
    return table
