"""``napari-pogmdm uncertainty``: how chains disagree at several accelerations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from napari_pogmdm.cli.options import Acl, Coils, Device, Seed, Source, keep_apart, output_path, slice_indices
from napari_pogmdm.errors import InputError

if TYPE_CHECKING:
    from napari_pogmdm.evaluation.uncertainty import Spread


def uncertainty(
    source: Source,
    png: Annotated[Path, typer.Option(help="Figure to draw: mean and standard deviation for each acceleration.")],
    accelerations: Annotated[str, typer.Option(help="Accelerations, separated by commas.")] = "3,4,5",
    kind: Annotated[str, typer.Option(help="Kind of mask, as for 'mask'.")] = "cartesian",
    acl: Acl = 0.08,
    slice_: Annotated[str, typer.Option("--slice", help="A number, or 'middle'.")] = "middle",
    method: Annotated[
        str, typer.Option(help="pogmdm[:model[:preset]]; preset paper samples the posterior.")
    ] = "pogmdm",
    chains: Annotated[int, typer.Option(help="Chains for each acceleration.")] = 16,
    seed: Seed = 0,
    coils: Coils = 8,
    device: Device = "auto",
) -> None:
    """Run several chains at several accelerations and show where, and how much, they disagree."""
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.data.sources import open_scan
    from napari_pogmdm.evaluation.method_names import parse_sampler
    from napari_pogmdm.evaluation.uncertainty import spreads
    from napari_pogmdm.physics.masks.kinds import make_mask
    from napari_pogmdm.runtime.device import choose_device

    output_path(png, "--png")
    keep_apart(source, png)
    sampler = parse_sampler(method, chains, seed)
    if sampler is None:
        raise InputError(f"method: {method!r} has no chains; choose pogmdm.")
    if slice_ == "all":
        raise InputError("--slice: uncertainty takes one slice; give its number, or 'middle'.")
    try:
        wanted = [float(part) for part in accelerations.split(",")]
    except ValueError:
        raise InputError(f"--accelerations: cannot read {accelerations!r}; write numbers such as 3,4,5.") from None
    scan = open_scan(source)
    acquisition = scan[slice_indices(slice_, len(scan))[0]]
    masks = [make_mask(kind, acquisition.shape, one, acl) for one in wanted]
    found = []
    chosen = choose_device(device).name
    with progress_bar() as begin:
        told = begin(method)
        for spread in spreads(acquisition, masks, sampler, coils=coils or None, device=chosen, progress=told):
            found.append(spread)
            typer.echo(
                f"{spread.mask.describe()}: mean standard deviation inside the object {100 * spread.inside:.3f} %, "
                f"error of the mean {100 * spread.error:.3f} % of the maximum"
            )
    _draw(found, png, f"{acquisition.source}: {method}, {sampler.chains} chains")
    typer.echo(str(png))


def _draw(found: list[Spread], path: Path, title: str) -> None:
    from napari_pogmdm.arrays import white_of
    from napari_pogmdm.recon.figures import Tile, save_tiles

    white = white_of(found[0].mean)
    bright = max(white_of(spread.deviation) for spread in found)
    above = [Tile(spread.mean, f"mean, {spread.mask.acceleration:.2f}x", white, "gray") for spread in found]
    below = [
        Tile(spread.deviation, f"standard deviation, {100 * spread.inside:.2f} % inside", bright, "magma")
        for spread in found
    ]
    save_tiles([above, below], path, f"{title}; black to white: 0 to {100 * bright:.1f} % of the maximum")
