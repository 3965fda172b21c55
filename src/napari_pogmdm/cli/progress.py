"""A progress bar with the time left, on the error stream so that output can be piped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from napari_pogmdm.reading import is_file

_LARGE = 64 * 2**20  # bytes; what is smaller is indexed before a bar could be read


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
