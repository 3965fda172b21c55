"""Work for the pools of the tests, in a module that worker processes can import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.pool.pool import unwanted


def double(job: tuple[str, int, str], common: Any) -> int:
    """Double a number; some jobs kill their process, each time or the first time, or are refused."""
    kind, number, folder = job
    mark = Path(folder) / str(number)
    tried = mark.exists()
    mark.touch()
    if kind == "deadly" or (kind == "unlucky" and not tried):
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "refused":
        raise InputError("number: is refused.")
    return 2 * number + (common or 0)


def until_unwanted(folder: str, common: Any) -> None:
    """Work until nobody waits any more, and leave a note."""
    (Path(folder) / "begun").touch()
    while not unwanted():
        time.sleep(0.01)
    (Path(folder) / "stopped").touch()


def process_number(job: Any, common: Any) -> int:
    """Say which process does the job."""
    return os.getpid()
