"""The eight ways to mirror and turn an image, in an order in which neighbours differ as much as possible."""

from __future__ import annotations

from torch import Tensor

_ORDER = (
    (False, False, False),
    (True, True, True),
    (True, True, False),
    (False, False, True),
    (True, False, False),
    (False, True, True),
    (False, True, False),
    (True, False, True),
)
"""Whether columns and rows are mirrored, and whether they are then exchanged."""


def turned(image: Tensor, number: int) -> Tensor:
    """Show an image (..., rows, columns) in the orientation of this number; they recur after eight."""
    columns, rows, exchanged = _ORDER[number % 8]
    shown = _mirrored(image, columns, rows)
    return shown.transpose(-1, -2) if exchanged else shown


def turned_back(image: Tensor, number: int) -> Tensor:
    """Undo `turned`."""
    columns, rows, exchanged = _ORDER[number % 8]
    straight = image.transpose(-1, -2) if exchanged else image
    return _mirrored(straight, columns, rows).contiguous()


def _mirrored(image: Tensor, columns: bool, rows: bool) -> Tensor:
    axes = [axis for axis, wanted in ((-1, columns), (-2, rows)) if wanted]
    return image.flip(axes) if axes else image
