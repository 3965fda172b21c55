"""``napari-pogmdm train-network``: from a folder of images to a denoising network that serves as a prior."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.errors import InputError
from napari_pogmdm.training.networks.settings import NetworkTrainingSettings


@grouped
def train_network(
    *,
    data: Annotated[Path, typer.Option(help="Folder of volumes, as train takes it.")],
    out: Annotated[Path, typer.Option(help="Folder for checkpoint, weights and card.")],
    name: Annotated[str, typer.Option(help="What to call the model, and its file.")] = "unet",
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the checkpoint in OUT, with its settings.")
    ] = False,
    start: Annotated[
        str, typer.Option(help="Network to start from, a .safetensors file, instead of random numbers.")
    ] = "",
    settings: NetworkTrainingSettings,
    threads: Annotated[int, typer.Option(min=1, help="Processor threads.")] = 1,
    every: Annotated[
        int, typer.Option(min=1, help="Iterations between checkpoints, each with a point on the curve.")
    ] = 500,
) -> None:
    """Train a network that removes noise of any level from images, and write its weights."""
    from napari_pogmdm.cli.network_training import train_denoiser

    if Path(name).name != name or not name:
        raise InputError(f"name: {name!r} is not a file name; give one without slashes.")
    path = train_denoiser(data, out, name, settings, resume=resume, start=start, threads=threads, every=every)
    typer.echo(str(path))
