"""Any exception as one sentence for the user."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from napari_pogmdm.errors import InputError


@dataclass(frozen=True)
class Notice:
    """One sentence for the user.

    ``kind`` is "error" (something did not work), "memory" (the device was too small; the CPU may do) or "information".
    """

    kind: str
    text: str


def as_notice(error: BaseException, doing: str) -> Notice:
    """Translate what went wrong while ``doing`` something.

    Torch raises plain RuntimeErrors for most of its troubles, an exhausted memory among them, and napari's own workers
    lose exactly those: so they are caught where they happen and travel as data.
    """
    if isinstance(error, InputError):
        return Notice("error", str(error))
    said = str(error).lower()
    exhausted = "out of memory" in said or "can't allocate memory" in said
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)) or exhausted:
        return Notice("memory", f"{doing}: the memory is full; choose the CPU, fewer virtual coils or a smaller scan.")
    if isinstance(error, OSError):
        return Notice("error", f"{doing}: {error.strerror or error}; is the file still there?")
    first = (str(error).strip().splitlines() or ["no reason given"])[0]
    return Notice("error", f"{doing}: failed unexpectedly ({type(error).__name__}: {first[:160]}).")
