"""Results on disk, in the layout that fastMRI takes as a submission, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` that takes its place when the block ends well, and vanishes otherwise."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder; name a file to write.")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); choose another folder.") from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: could not be written ({error}); is the disk full?") from error
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def write_result(
    path: Path,
    reconstruction: NDArray[np.float32],
    extras: Mapping[str, NDArray[np.generic]] | None = None,
    record: str | None = None,
) -> None:
    """Write reconstructed slices.

    Parameters
    ----------
    reconstruction
        (slices, rows, columns) float32.
    extras
        Arrays stored beside it by name: ``coils`` (slices, coils, rows, columns), ``mean`` and ``variance``
        (slices, rows, columns) where there are.
    record
        JSON text that says how the result came about.
    """
    with atomic_path(path) as temporary, h5py.File(temporary, "w") as file:
        _store(file, "reconstruction", np.asarray(reconstruction, dtype=np.float32))
        for name, array in (extras or {}).items():
            _store(file, name, array)
        if record is not None:
            file.create_dataset("record", data=record)


def _store(file: h5py.File, name: str, array: NDArray[np.generic]) -> None:
    file.create_dataset(name, data=array, chunks=(1, *array.shape[1:]), fletcher32=True)
