"""``napari-pogmdm inspect``: a prior in numbers and in pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.shared import MODEL_OR_FILE, complete_model
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.errors import InputError


def inspect(
    model: Annotated[str, typer.Argument(help=f"{MODEL_OR_FILE}.", autocompletion=complete_model)],
    png: Annotated[
        Path | None, typer.Option(help="Draw filters, spectra, potentials and time conditioning into this file.")
    ] = None,
    dpi: Annotated[int, typer.Option(min=30, max=600, help="Resolution of the picture in dots per inch.")] = 150,
) -> None:
    """Print what a prior is made of and how it was trained, and draw it."""
    from napari_pogmdm.files import whole_file
    from napari_pogmdm.prior.figures import draw_model
    from napari_pogmdm.prior.weights import load_experts

    check_outputs({"--png": png}, (model,))
    if png is not None and png.suffix.lower() != ".png":
        raise InputError(f"--png: {png} must end in .png.")
    prior = load_experts(model, "Inspecting")
    facts = {
        "name": prior.name,
        "parameters": prior.parameter_count,
        "configuration": prior.configuration.to_dict(),
        "gains": [round(gain, 4) for gain in prior.gains.tolist()],
        "training": prior.information.get("training", {}),
    }
    typer.echo(json.dumps(facts, indent=2))
    if png is not None:
        with whole_file(png) as stream:
            draw_model(prior).savefig(stream, format="png", dpi=dpi)
        typer.echo(str(png))
