"""A progress bar with the time left, on the error stream so that output can be piped; or lines for a program."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from napari_pogmdm.cli.options.shared import ProgressStyle
from napari_pogmdm.reading import is_file

_LARGE = 64 * 2**20  # bytes; what is smaller is indexed before a bar could be read

Begin = Callable[[str], Callable[[int, int], None]]
"""Starts a line for a named job and returns the job's callback (done, total)."""


@contextmanager
def indexing(source: str) -> Iterator[Callable[[float], None] | None]:
    """Give the callback for the share of a file that is indexed; ``None`` for a small one, which needs no bar."""
    path = Path(source)
    if not is_file(path) or path.stat().st_size < _LARGE:
        yield None
        return
    with progress_bar() as begin:
        update = begin(f"indexing {path.name}")
        yield lambda share: update(round(100 * share), 100)  # percent


@contextmanager
def progress_bar(style: ProgressStyle = ProgressStyle.BAR) -> Iterator[Begin]:
    """Give a function that starts a line for a named job and returns the job's callback (done, total)."""
    if style is ProgressStyle.LINES:
        yield _begin_lines
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:

        def begin(name: str) -> Callable[[int, int], None]:
            job = bar.add_task(escape(name), total=None)
            return lambda done, total: bar.update(job, completed=done, total=total)

        yield begin


def _begin_lines(name: str) -> Callable[[int, int], None]:
    told = -1

    def update(done: int, total: int) -> None:
        nonlocal told
        percent = 100 * done // max(total, 1)
        if percent > told:
            told = percent
            typer.echo(json.dumps({"job": name, "percent": percent}), err=True)

    update(0, 1)
    return update
