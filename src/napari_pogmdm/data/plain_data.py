"""Reading plain data: a JSON file, or the record inside a result file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from napari_pogmdm.data.hdf5 import open_hdf5, plain_dataset
from napari_pogmdm.errors import InputError
from napari_pogmdm.reading import reading

LARGEST_RECORD = 64 * 2**20  # bytes; a record of a thousand slices, each with an edited mask, has a few
_HDF5_MAGIC = b"\x89HDF"


def read_plain(path: Path) -> Any:
    """Read the plain data of a JSON file, or of the record in a result file."""
    with reading(path, "JSON file, nor a result with a record"):
        with path.open("rb") as stream:
            start = stream.read(4)
            text = _text_of_result(path) if start == _HDF5_MAGIC else start + stream.read(LARGEST_RECORD)
        if len(text) > LARGEST_RECORD:
            raise InputError(f"{path}: is too long for settings or the record of a run.")
        return json.loads(text)


def _text_of_result(path: Path) -> bytes:
    with open_hdf5(path) as file:
        dataset = plain_dataset(file, "record")
        text = None if dataset is None or dataset.shape != () else dataset[()]
    if not isinstance(text, bytes):
        raise InputError(f"{path.name}: holds no record of a run.")
    return text
