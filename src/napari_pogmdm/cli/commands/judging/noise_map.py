"""``napari-pogmdm noise-map``: the noise of an image and the g-factor of a method, by pseudo-replicas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.cli.options.shared import (
    CoilsOption,
    DeviceOption,
    OneSliceOption,
    SamplingOptions,
    SeedOption,
    SourceArgument,
    listed,
)
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.recon.defaults import DEFAULT_COILS
from napari_pogmdm.recon.method import Method
from napari_pogmdm.runtime.device import Device

_REPLICAS = 16  # a standard deviation over n is known to 1 / sqrt(2 (n - 1)), here 18 %


@grouped
def noise_map(
    source: SourceArgument,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Result file for image, noise map and g-factor.")],
    method: Annotated[
        str, typer.Option(help=f"Method: {listed(Method)}, also with model and preset after colons, as for compare.")
    ] = Method.CG_SENSE.value,
    png: Annotated[Path | None, typer.Option(help="Figure to draw: image, noise map and g-factor.")] = None,
    replicas: Annotated[int, typer.Option(min=2, help="Copies of the data with fresh noise.")] = _REPLICAS,
    slice_: OneSliceOption = "middle",
    scan: ScanOptions,
    sampling: SamplingOptions,
    seed: SeedOption = 0,
    coils: CoilsOption = DEFAULT_COILS,
    device: DeviceOption = Device.AUTO,
) -> None:
    """Add fresh noise to the data many times, reconstruct each copy, and show how the noise of the image varies."""
    from napari_pogmdm.cli.measured_slice import measure_slice, open_slice
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.data.result_file import result_file
    from napari_pogmdm.evaluation.coverage import OBJECT
    from napari_pogmdm.evaluation.method_names import check_method, files_in
    from napari_pogmdm.evaluation.noise_map import noise_map as measure
    from napari_pogmdm.runtime.device import choose_device

    outputs = {"--output": output} if png is None else {"--output": output, "--png": png}
    check_outputs(outputs, (source, *sampling.files, *files_in((method,))))
    check_method(method)
    measured = measure_slice(
        open_slice(source, slice_, "noise-map", scan), sampling.recipe, coils, choose_device(device).name
    )
    with progress_bar() as begin:
        found = measure(measured.measurement, method, replicas=replicas, seed=seed, progress=begin(method))
    image = found.result.image
    body = image > OBJECT * image.max()
    typer.echo(
        f"{method}, {measured.measurement.sampling.describe()}: noise of the data {found.noise:.4g}; inside the object "
        f"the noise map has a mean of {float(found.deviation[body].mean()):.4g}, the g-factor one of "
        f"{float(found.g_factor[body].mean()):.3f} and a largest value of {float(found.g_factor[body].max()):.3f}"
    )
    with result_file(output, 1) as file:
        file.add(0, {**found.result.arrays(), "noise_map": found.deviation, "g_factor": found.g_factor})
        file.record(json.dumps([found.result.entry()], indent=2))
    typer.echo(str(output))
    if png is not None:
        from napari_pogmdm.evaluation.uncertainty_figure import save_noise_map

        words = (
            f"{measured.measurement.source}: {method}, {measured.measurement.sampling.describe()}, {replicas} replicas"
        )
        save_noise_map(found, png, words)
        typer.echo(str(png))
