"""Records of runs on disk: JSON, or inside a result file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from napari_pogmdm.data.plain_data import read_plain
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.record import RunRecord


def read_records(path: str | Path) -> list[RunRecord]:
    """Read the records of a run, one a slice, from a result file or a JSON file."""
    return records_in(read_plain(Path(path)), Path(path))


def records_in(data: Any, path: Path) -> list[RunRecord]:
    """Take the records out of plain data that was read from ``path``."""
    entries = data if isinstance(data, list) else [data]
    if not entries or not all(isinstance(entry, dict) and "settings" in entry for entry in entries):
        raise InputError(f"{path}: holds no record of a run.")
    try:
        return [RunRecord.from_dict(entry) for entry in entries]
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
