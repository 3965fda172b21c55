"""``napari-pogmdm mask``: make a sampling mask."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.shared import AccelerationOption, AcsOption, AxisOption, MaskKindOption, MaskSeedOption
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.names import (
    DEFAULT_ACCELERATION,
    DEFAULT_AXIS,
    DEFAULT_CENTRE_FRACTION,
    DEFAULT_MASK_SEED,
    MaskKind,
)

_LARGEST_SIDE = 8192  # samples; ten times any scan's, and its mask still fits into 64 MB


def mask(
    output: Annotated[Path, typer.Option("--output", "-o", help="NumPy file to write.")],
    kind: MaskKindOption = MaskKind.CARTESIAN,
    shape: Annotated[str, typer.Option(help="Rows x columns, such as 320x320.")] = "320x320",
    acceleration: AccelerationOption = DEFAULT_ACCELERATION,
    acs: AcsOption = DEFAULT_CENTRE_FRACTION,
    seed: MaskSeedOption = DEFAULT_MASK_SEED,
    axis: AxisOption = DEFAULT_AXIS,
    png: Annotated[
        Path | None, typer.Option(help="Also draw the mask and its point-spread function into this file.")
    ] = None,
) -> None:
    """Make a sampling mask, and print the acceleration that was reached."""
    from napari_pogmdm.physics.masks.kinds import make_mask
    from napari_pogmdm.physics.masks.mask import save_mask
    from napari_pogmdm.recon.figures import save_mask_panel

    check_outputs({"--output": output, "--png": png})
    made = make_mask(kind, _parse_shape(shape), acceleration, acs, seed, axis)
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
    if not (2 <= rows <= _LARGEST_SIDE and 2 <= columns <= _LARGEST_SIDE):
        raise InputError(f"--shape: {text} is outside 2x2 to {_LARGEST_SIDE}x{_LARGEST_SIDE}.")
    return rows, columns
