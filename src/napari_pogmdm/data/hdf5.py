"""Opening HDF5 files safely: whatever is broken, missing or stored elsewhere ends in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.reading import LARGEST_READ, check_held


@contextmanager
def open_hdf5(path: Path) -> Iterator[h5py.File]:
    """Open ``path`` for reading and turn whatever HDF5 trips over inside the block into an `InputError`."""
    try:
        if not path.exists():
            raise InputError(f"{path}: no such file; check the spelling.")
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name one file in it.")
        if not path.is_file():
            raise InputError(f"{path}: is not an ordinary file.")
        with path.open("rb") as stream:
            stream.read(1)
    except OSError as error:
        raise InputError(f"{str(path)[:80]}: cannot be read ({error.strerror}).") from error
    try:
        if not h5py.is_hdf5(path):
            raise InputError(f"{path.name}: is not an HDF5 file; fastMRI files end in .h5.")
        with h5py.File(path, "r") as file:
            yield file
    except (InputError, Cancelled):
        raise
    except MemoryError as error:
        raise InputError(f"{path.name}: does not fit into memory; close other programs.") from error
    except Exception as error:
        reason = str(error).split("(")[-1].rstrip(")'\"") or type(error).__name__
        raise InputError(f"{path.name}: the file is damaged or cut short ({reason}); copy it again.") from error


def plain_dataset(file: h5py.File, name: str) -> h5py.Dataset | None:
    """Return the dataset ``name`` if it is there and stored in this very file, never in another one."""
    link = file.get(name, getlink=True)
    if link is None:
        return None
    where = Path(file.filename).name
    if not isinstance(link, h5py.HardLink):
        raise InputError(f"{where}: {name} is a link to somewhere else, which is refused; store the data itself.")
    dataset = file[name]
    if not isinstance(dataset, h5py.Dataset):
        raise InputError(f"{where}: {name} is a group, expected an array.")
    if dataset.external or dataset.is_virtual:
        raise InputError(f"{where}: {name} is kept in other files, which is refused; store the data itself.")
    declared = (dataset.size or 0) * dataset.dtype.itemsize
    check_held(declared, _held(dataset, file), f"{where}: {name}", at_once=False)
    return dataset


def _held(dataset: h5py.Dataset, file: h5py.File) -> int:
    """Bytes of a dataset that can be in the file: those it says are stored, if the file is long enough."""
    return min(int(dataset.id.get_storage_size()), Path(file.filename).stat().st_size)


def check_read_size(dataset: h5py.Dataset, items: int, where: str) -> None:
    """Refuse to allocate more than 4 GiB for one read."""
    if items * dataset.dtype.itemsize > LARGEST_READ:
        raise InputError(f"{where}: one slice of {dataset.name} would need more than 4 GiB; split the file.")
