"""Writing result files: HDF5 in the layout of fastMRI's submissions, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.files import whole_file


class ResultFile:
    """Takes reconstructed slices one by one, so that a volume never has to fit into memory."""

    def __init__(self, file: h5py.File, slices: int, check: Callable[[], None]) -> None:
        self._file = file
        self._slices = slices
        self._check = check

    def add(self, index: int, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Store the arrays of one slice.

        ``reconstruction`` (rows, columns) is what fastMRI asks for; ``coils`` (coils, rows, columns), ``mean`` and
        ``variance`` (rows, columns) stand beside it where there are. Every dataset gets the slice as its first axis.
        """
        for name, array in arrays.items():
            if name not in self._file:
                shape = (self._slices, *array.shape)
                self._file.create_dataset(name, shape, array.dtype, chunks=(1, *array.shape), fletcher32=True)
            self._file[name][index] = array
        self._check()  # a disk that is full now will not hold the slices to come

    def record(self, text: str) -> None:
        """Store the JSON text that says how the result came about."""
        self._file.create_dataset("record", data=text)


@contextmanager
def result_file(path: Path, slices: int) -> Iterator[ResultFile]:
    """Open ``path`` for the results of ``slices`` slices; it appears when the block ends well."""
    with whole_file(path) as stream, h5py.File(stream, "w") as file:
        yield ResultFile(file, slices, stream.check)
