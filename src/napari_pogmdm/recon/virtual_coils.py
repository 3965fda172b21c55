"""How many virtual coils a scan is compressed to."""

from __future__ import annotations

from napari_pogmdm.errors import InputError

AUTO_COILS = -1
"""Stands for as many coils as the size of the image allows; terminal, Python and files of settings write "auto"."""
_WORK = 8 * 224 * 224  # coils times pixels, which the time of a run grows with: eight coils of a usual head
_FEWEST = 8  # where more would take longer; the signal that they would add is small


def read_coils(text: str) -> int:
    """Read a number of coils, or "auto"."""
    if text == "auto":
        return AUTO_COILS
    if text.isdecimal():
        return int(text)
    raise InputError(f"coils: {text[:80]!r} is neither a number nor auto; 0 keeps all.")


def virtual_coils(wish: int | None, shape: tuple[int, int]) -> int | None:
    """Give the number of coils to compress to, or ``None`` for all.

    Parameters
    ----------
    wish
        A number; 0 or ``None`` for all; `AUTO_COILS` for all while coils times pixels stay below those of eight coils
        at 224 x 224, and for eight in larger images.
    shape
        Rows and columns of the image.
    """
    if wish is not None and wish < AUTO_COILS:
        raise InputError("virtual coils: the number is negative; give a positive number, 0 for all, or auto.")
    if wish == AUTO_COILS:
        return max(_FEWEST, _WORK // (shape[0] * shape[1]))
    return wish or None
