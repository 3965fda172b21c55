"""A request to end (SIGTERM) ends everything within two seconds, worker processes included, with exit code 143."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import active_children
from pathlib import Path
from types import FrameType

from napari_pogmdm.files import remove_unfinished

EXIT_CODE = 128 + signal.SIGTERM  # as shells count
_GRACE = 1.0  # seconds for an orderly end, in which temporary folders vanish; the promise is two seconds in all
_FAREWELL = 0.3  # seconds that worker processes get to end their own


class Terminated(BaseException):
    """The program was asked to end."""


@contextmanager
def obeying_sigterm() -> Iterator[None]:
    """Raise `Terminated` in the main thread when SIGTERM comes, and end the program if that does not help in time.

    Compiled loops let no signal through, and the window's own loop no exception; so a thread watches, too.
    """
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    before = signal.signal(signal.SIGTERM, _raise)
    wakeup = signal.set_wakeup_fd(sender, warn_on_full_buffer=False)
    over = threading.Event()
    threading.Thread(target=_watch, args=(receiver, over), name="SIGTERM", daemon=True).start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(wakeup)
        signal.signal(signal.SIGTERM, before)
        os.close(sender)


def end_now() -> None:
    """End the program and its processes; files are whole or not there, so that nothing is lost by that."""
    remove_unfinished()
    _end_children()
    with suppress(Exception):
        if sys.stderr.isatty():
            sys.stderr.write("\x1b[?25h\n")  # a progress bar may have hidden the cursor
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(EXIT_CODE)


def _raise(_number: int, _frame: FrameType | None) -> None:
    if "napari" in sys.modules:  # its loop would make a message of an exception, and go on
        end_now()
    raise Terminated


def _watch(receiver: int, over: threading.Event) -> None:
    with open(receiver, "rb", buffering=0) as stream:
        while numbers := stream.read(64):
            if signal.SIGTERM in numbers and not over.wait(_GRACE):
                end_now()


def _end_children() -> None:
    """Ask all processes of this one to end, then end them."""
    children = {child.pid for child in active_children() if child.pid is not None}
    for listed in Path("/proc/self/task").glob("*/children"):  # programs that were called; Linux alone tells them
        with suppress(OSError, ValueError):
            children |= {int(number) for number in listed.read_text().split()}
    for sent, pause in ((signal.SIGTERM, _FAREWELL), (signal.SIGKILL, 0.0)):
        for child in children:
            with suppress(OSError):
                os.kill(child, sent)
        if children:
            time.sleep(pause)
