"""Reading files that anybody may have made: whatever is wrong with one is one sentence, and it takes bounded memory.

A file is believed only as far as it is long: what it declares is compared with what it holds before memory is taken.
"""

from __future__ import annotations

import gzip
import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from napari_pogmdm.errors import Cancelled, InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LARGEST_READ = 4 * 2**30  # bytes at once; a slice of 64 coils at 640 x 640 has a twentieth of it
_FIXED, _RATIO = 64 * 2**20, 128  # bytes, and bytes a byte; images shrink to a half, and zeros to a thousandth
_LONGEST_SHOWN = 80  # letters of a path that may be too long for any file system
_NPY_MAGIC, _ZIP_MAGIC = b"\x93NUMPY", b"PK\x03\x04"


@contextmanager
def reading(path: Path, kind: str, advice: str = "copy or make it again") -> Iterator[None]:
    """Turn whatever goes wrong in the block into one sentence.

    Parameters
    ----------
    path
        Of the file.
    kind
        What it should be, such as "NumPy file".
    advice
        The way out.

    Raises
    ------
    InputError
        For every exception but those that end the program.
    """
    try:
        yield
    except (InputError, Cancelled):
        raise
    except FileNotFoundError as error:
        raise InputError(f"{shown(path)}: no such file; check the spelling.") from error
    except OSError as error:
        raise InputError(f"{shown(path)}: cannot be read ({error.strerror or error}); {advice}.") from error
    except MemoryError as error:
        raise InputError(f"{shown(path)}: does not fit into memory.") from error
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:_LONGEST_SHOWN]
        raise InputError(f"{shown(path)}: is not a readable {kind} ({reason}); {advice}.") from error


def shown(path: Path | str) -> str:
    """Write a path in a sentence, cut off where it is too long for that."""
    return str(path)[:_LONGEST_SHOWN] if len(str(path)) > 3 * _LONGEST_SHOWN else str(path)


def is_file(name: str | Path) -> bool:
    """Whether this is the name of a file, rather than of something else or too long for one."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def check_held(declared: int, held: int, what: str, *, at_once: bool = True) -> None:
    """Refuse to take memory for more than a file can hold, compressed or not.

    Parameters
    ----------
    declared
        Bytes that it says it has.
    held
        Bytes that it is long.
    what
        Begins the sentence, such as the name of the file.
    at_once
        Whether all of it is read at once, which has a bound of its own.
    """
    believed = _FIXED + _RATIO * held
    if declared > (min(LARGEST_READ, believed) if at_once else believed):
        raise InputError(
            f"{what}: claims {declared / 1e9:.3g} GB but holds {held / 1e6:.3g} MB; it is damaged or too large."
        )


def inflate(path: Path) -> bytes:
    """Read a gzip file, as long as it does not outgrow what a file of its length can hold."""
    held = path.stat().st_size
    most = min(LARGEST_READ, _FIXED + _RATIO * held)
    with gzip.open(path) as stream:
        content = stream.read(most + 1)
    check_held(len(content), held, path.name)
    return content


def read_array(path: Path, kind: str = "NumPy file") -> NDArray[Any]:
    """Read the numbers of a ``.npy`` file, or of the member ``image`` or else the first one of a ``.npz`` file.

    Parameters
    ----------
    path
        Of the file.
    kind
        What it should be, for the sentence.
    """
    return next(iter(read_arrays(path, kind, only="image").values()))


def read_arrays(path: Path, kind: str = "NumPy file", only: str | None = None) -> dict[str, NDArray[Any]]:
    """Read every array of a ``.npz`` file by name, or the one of a ``.npy`` file, whose name is empty.

    Parameters
    ----------
    path
        Of the file.
    kind
        What it should be, for the sentence.
    only
        Read this one alone, or else the first.
    """
    with reading(path, kind):
        with path.open("rb") as stream:
            start = stream.read(len(_NPY_MAGIC))
            if start == _NPY_MAGIC:
                stream.seek(0)
                return {"": _read_npy(stream, path.stat().st_size, path.name)}
        if not start.startswith(_ZIP_MAGIC):
            raise InputError(f"{path.name}: is not a readable {kind}; give a file that numpy.save made.")
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if not names:
                raise InputError(f"{path.name}: the archive is empty.")
            if only is not None:
                names = [f"{only}.npy" if f"{only}.npy" in names else names[0]]
            return {name.removesuffix(".npy"): _read_member(archive, name, path.name) for name in names}


def read_archive(path: Path, kind: str, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """Read some arrays of a ``.npz`` file, of numbers or of one text.

    Parameters
    ----------
    path
        Of the file.
    kind
        What it should be, for the sentence.
    names
        Of the arrays, all of which must be there.
    """
    with reading(path, kind, "remove it to start again"), zipfile.ZipFile(path) as archive:
        return {name: _read_member(archive, f"{name}.npy", path.name, kinds="biufcU") for name in names}


def _read_member(archive: zipfile.ZipFile, name: str, where: str, kinds: str = "biufc") -> NDArray[Any]:
    member = archive.getinfo(name)
    if member.flag_bits & 1:
        raise InputError(f"{where}: is encrypted; save it without a password.")
    check_held(member.file_size, member.compress_size, where)
    with archive.open(member) as stream:
        found = _read_npy(stream, member.file_size, where, kinds)
        stream.read(1)  # the sum of all bytes is checked at the end alone
        return found


def _read_npy(stream: IO[bytes], held: int, where: str, kinds: str = "biufc") -> NDArray[Any]:
    """Read an array after a look at what it declares."""
    from numpy.lib import format as npy

    version = npy.read_magic(stream)
    shape, in_columns, dtype = (npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0)(stream)
    if dtype.kind not in kinds or dtype.hasobject:
        raise InputError(f"{where}: holds {dtype} values; numbers are needed.")
    if any(side < 0 for side in shape):
        raise InputError(f"{where}: claims the shape {shape}, which is impossible.")
    declared = math.prod(shape) * dtype.itemsize
    if declared > held:
        raise InputError(f"{where}: is cut off: it claims {declared} bytes of numbers, but holds {held}.")
    check_held(declared, held, where)
    return _values(stream, shape, in_columns, dtype, declared)


def _values(
    stream: IO[bytes], shape: tuple[int, ...], in_columns: bool, dtype: np.dtype[Any], length: int
) -> NDArray[Any]:
    import numpy as np

    content = bytearray(length)
    view, place = memoryview(content), 0
    while place < length:
        count = stream.readinto(view[place : place + _FIXED])  # type: ignore[attr-defined]
        if not count:
            raise EOFError("cut off")
        place += count
    flat: NDArray[Any] = np.frombuffer(content, dtype, count=math.prod(shape))
    return flat.reshape(shape[::-1]).T if in_columns else flat.reshape(shape)
