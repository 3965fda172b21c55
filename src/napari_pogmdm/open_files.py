"""Files that are open in a window, over which nothing may be written: they may be the only copy of a scan."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

from napari_pogmdm.errors import InputError

_PAIRS = {".cfl": ".hdr", ".hdr": ".cfl"}  # BART keeps an array in two files
_open: dict[Hashable, frozenset[Path]] = {}


def keep_open(owner: Hashable, file: str | None) -> None:
    """Remember which file an owner reads from; ``None`` for none, and the last one counts."""
    _open.pop(owner, None)
    if file:
        path = Path(file).resolve()
        _open[owner] = frozenset({path, path.with_suffix(_PAIRS.get(path.suffix, path.suffix))})


def check_not_open(path: Path) -> None:
    """Refuse to write over a file that is open.

    Raises
    ------
    InputError
        If somebody reads from it.
    """
    place = path.resolve()
    if any(place in files for files in _open.values()):
        raise InputError(f"{path.name}: is the scan that is open; save under another name.")
