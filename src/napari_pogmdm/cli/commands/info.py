"""``napari-pogmdm info``: what a file holds."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.cli.options.shared import JsonOption, SourceArgument

if TYPE_CHECKING:
    from napari_pogmdm.data.acquisition import Acquisition


@grouped
def info(source: SourceArgument, *, scan: ScanOptions, as_json: JsonOption = False) -> None:
    """Print what a scan holds: sizes, coils, contrast, mask, reference and noise."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    facts = _facts(source, scan)
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in facts.items():
        table.add_row(
            f"[bold]{name.replace('_', ' ')}[/bold]",
            escape(_in_words(value)) if value is not None else "[dim]not stated[/dim]",
        )
    Console().print(table)


def _facts(source: str, options: ScanOptions) -> dict[str, Any]:
    import torch

    from napari_pogmdm.data.dimensions import dimensions_of
    from napari_pogmdm.errors import InputError
    from napari_pogmdm.physics.noise import noise_from_periphery

    scan = options.open(source)
    acquisition = scan[options.indices(scan, "middle")[0]]
    dimensions = dimensions_of(scan)
    header = acquisition.header
    columns = header.acquired_columns
    mask = acquisition.mask
    kspace = torch.from_numpy(acquisition.kspace)
    noise: float | None = None
    if acquisition.trajectory is None:
        measured = torch.ones(acquisition.shape, dtype=torch.bool) if mask is None else torch.from_numpy(mask)
        with suppress(InputError):
            noise = float(noise_from_periphery(kspace, measured).mean())
    return {
        "source": scan.name,
        "slices": dimensions.pop("slice"),
        **{f"{name}s": count for name, count in dimensions.items()},
        "coils": acquisition.coils,
        "k-space": acquisition.shape,
        "image": acquisition.crop,
        "contrast": header.contrast,
        "field_strength_in_tesla": header.field_strength_tesla,
        "field_of_view_in_mm": header.recon_field_of_view_mm,
        "readout_oversampling": header.readout_oversampling,
        "measured_columns": None if columns is None else f"{columns[0]} to {columns[1] - 1}",
        "sampling": _sampling(acquisition),
        "reference_image": acquisition.reference is not None,
        "noise_per_component_in_middle_slice": noise,
        "largest_sample_in_middle_slice": float(kspace.abs().max()),
        "remarks": list(acquisition.remarks) or None,
    }


def _sampling(acquisition: Acquisition) -> str:
    if acquisition.trajectory is not None:
        return f"{len(acquisition.trajectory)} samples along a trajectory"
    mask = acquisition.mask
    return "full" if mask is None else f"{mask.size / int(mask.sum()):.2f}x undersampled"


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(value)
    if isinstance(value, tuple):
        return " x ".join(f"{part:g}" for part in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)
