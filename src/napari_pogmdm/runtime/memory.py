"""Memory: how much is free on a device, and keeping what was freed for the next step."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from pathlib import Path

import torch

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of these settings in glibc's malloc.h
_LARGEST_BLOCK = 32 * 2**20  # bytes; glibc takes no higher limit, and larger blocks always go back to the system
_KEPT = 256 * 2**20  # bytes; several coil images of 8 coils at 640 x 372, 15 MB each. Less, and they are fetched anew
_TOLD_BY_LINUX = Path("/proc/meminfo")
_UNKNOWN = 2 * 2**30  # bytes that are taken to be free where the system does not say


def free_memory(device: torch.device) -> int:
    """Free bytes on the device, or of the computer."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    try:  # Linux counts what it keeps of files as used, although it gives that back when it is asked for
        return 1024 * int(_TOLD_BY_LINUX.read_text().split("MemAvailable:")[1].split()[0])
    except (OSError, IndexError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return _UNKNOWN


def exhausted(error: BaseException) -> bool:
    """Whether an error means that the memory is full; torch says so in words only."""
    said = str(error).lower()
    typed = isinstance(error, MemoryError | torch.OutOfMemoryError)
    return typed or "out of memory" in said or "can't allocate memory" in said


@cache
def keep_freed_memory() -> None:
    """Have the C library keep 256 MB that were freed, in each of its arenas, instead of returning them at every step.

    Coil images are large enough to be returned to the system each time they are freed; fetching fresh memory for the
    next ones takes a third of the time of a data step. Elsewhere than with glibc nothing happens.
    """
    if sys.platform.startswith("linux"):
        adjust = getattr(ctypes.CDLL(None), "mallopt", None)
        if adjust is not None:
            adjust(_MMAP_THRESHOLD, _LARGEST_BLOCK)
            adjust(_TRIM_THRESHOLD, _KEPT)
