"""``napari-pogmdm models``: the priors that are installed."""

from __future__ import annotations

import json

import typer

from napari_pogmdm.cli.options.shared import JsonOption


def models(as_json: JsonOption = False) -> None:
    """List the trained priors that ship with the package."""
    from rich.console import Console
    from rich.table import Table

    from napari_pogmdm.prior.weights import list_models

    entries = list_models()
    if as_json:
        facts = [
            {
                "name": entry.name,
                "parameters": entry.parameter_count,
                "sha256": entry.sha256,
                "file": str(entry.path),
                "card": str(entry.card),
                "training": entry.training,
            }
            for entry in entries
        ]
        typer.echo(json.dumps(facts, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("model", "parameters", "iterations", "validation PSNR at 0.1", "sha256"):
        table.add_column(heading, justify="left" if heading in ("model", "sha256") else "right")
    for entry in entries:
        quality = entry.training.get("validation_psnr", {}).get("0.1")
        table.add_row(
            entry.name,
            str(entry.parameter_count),
            str(entry.training.get("iterations", "")),
            "" if quality is None else f"{quality:.2f} dB",
            entry.sha256[:12],
        )
    Console().print(table)
