"""A progress bar with the time left, on the error stream so that output can be piped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def progress_bar() -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Give a function that starts a line for a named job and returns the job's callback (done, total)."""
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
