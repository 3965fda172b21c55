"""``napari-pogmdm mask``: make a sampling mask."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options import Acceleration, Acl, Axis, output_path
from napari_pogmdm.errors import InputError


def mask(
    output: Annotated[Path, typer.Option("--output", "-o", help="NumPy file to write.")],
    kind: Annotated[
        str,
        typer.Option(
            help="cartesian, fastmri-random, fastmri-equispaced, fastmri-matched, radial, spiral, gaussian or poisson."
        ),
    ] = "cartesian",
    shape: Annotated[str, typer.Option(help="Rows x columns, such as 320x320.")] = "320x320",
    acceleration: Acceleration = 4.0,
    acl: Acl = 0.08,
    seed: Annotated[int, typer.Option(help="The same seed gives the same mask.")] = 42,
    axis: Axis = "columns",
    png: Annotated[Path | None, typer.Option(help="Also draw mask and point-spread function here.")] = None,
) -> None:
    """Make a sampling mask and say which acceleration came out."""
    from napari_pogmdm.physics.masks.kinds import make_mask
    from napari_pogmdm.physics.masks.mask import save_mask
    from napari_pogmdm.recon.figures import save_mask_panel

    output_path(output, "--output")
    output_path(png, "--png")
    if output.suffix != ".npy":
        raise InputError(f"--output: {output} does not end in .npy.")
    made = make_mask(kind, _parse_shape(shape), acceleration, acl, seed, axis)
    save_mask(made, output)
    typer.echo(f"{output}: {made.describe()}")
    if png is not None:
        save_mask_panel(made, png)
        typer.echo(str(png))


def _parse_shape(text: str) -> tuple[int, int]:
    try:
        rows, columns = (int(part) for part in text.lower().replace(",", "x").split("x"))
    except ValueError:
        raise InputError(f"--shape: {text!r} is not rows x columns; write 320x320.") from None
    if not (2 <= rows <= 8192 and 2 <= columns <= 8192):
        raise InputError(f"--shape: {text} is outside 2x2 to 8192x8192.")
    return rows, columns
