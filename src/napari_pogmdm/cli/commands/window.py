"""``napari-pogmdm window``: the workbench in napari."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.shared import SourceArgument
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.data.bundled import BundledScan
from napari_pogmdm.errors import InputError


def window(
    source: SourceArgument = BundledScan.DEMO.value,
    run: Annotated[bool, typer.Option("--run", help="Start the sampler at once.")] = False,
    screenshot: Annotated[
        Path | None,
        typer.Option(help="Save a screenshot of the window (PNG) and exit; with --run, when the run has ended."),
    ] = None,
) -> None:
    """Open the workbench in napari, as napari-pogmdm without a command does."""
    check_outputs({"--screenshot": screenshot}, (source,))
    _check_display()
    try:
        from napari_pogmdm.gui.window import open_window
    except ImportError as error:
        raise InputError(
            f"window: {error.name or 'a Qt binding'} is not installed; install it with 'pip install napari-pogmdm[qt]'."
        ) from error
    open_window(source, run, screenshot)
    if screenshot is not None:
        typer.echo(str(screenshot))


def _check_display() -> None:
    """Qt ends the whole program where there is no display, so it is not asked."""
    shown = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    if sys.platform.startswith("linux") and not shown:
        raise InputError("window: there is no display; use the other commands, or run it under 'xvfb-run -a'.")
