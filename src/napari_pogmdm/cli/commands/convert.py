"""``napari-pogmdm convert``: scans and results in other programs' formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.cli.options.shared import BUNDLED_OR_FILE, SlicesOption, complete_bundled
from napari_pogmdm.cli.output_paths import check_outputs


@grouped
def convert(
    source: Annotated[
        str, typer.Argument(help=f"A result, or a scan: {BUNDLED_OR_FILE}.", autocompletion=complete_bundled)
    ],
    target: Annotated[
        Path,
        typer.Argument(
            help="File to write. For a scan: .h5 (fastMRI), .cfl (BART), .npy or .npz. For a result, or for the image "
            "of a full scan: .nii, .nii.gz, .dcm, .png, .tif, .npy or .cfl."
        ),
    ],
    *,
    slice_: SlicesOption = "all",
    array: Annotated[
        str, typer.Option(help="Array of a result: reconstruction, complex_image, mean or variance.")
    ] = "reconstruction",
    scan: ScanOptions,
) -> None:
    """Write a scan or a result in another format; k-space stays k-space unless the target is an image format."""
    from napari_pogmdm.cli.conversion import converted

    check_outputs({"TARGET": target}, (source, scan.trajectory_file))
    for path in converted(source, target, slice_, array, scan):
        typer.echo(str(path))
