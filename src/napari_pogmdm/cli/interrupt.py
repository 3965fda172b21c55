"""The first Ctrl-C asks for an early end, the second one insists."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import typer


@contextmanager
def asking_to_stop(what_happens: str) -> Iterator[Callable[[], bool]]:
    """Give a question that is answered with yes after the first interrupt; a second one ends the program as usual.

    Parameters
    ----------
    what_happens
        Printed when the user interrupts.
    """
    asked = threading.Event()

    def interrupted(_number: int, _frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        typer.secho(f"{what_happens} Press Ctrl-C again to give up.", fg="yellow", err=True)

    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return
    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
