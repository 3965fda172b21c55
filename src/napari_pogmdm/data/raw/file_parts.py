"""Parts of a large file, read when they are asked for; a memory map would keep all pages that were touched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError

_TOGETHER = 4096  # bytes: parts that are closer lie on the same or the next page, which is read anyway


class FileParts:
    """The bytes of an open file.

    Parameters
    ----------
    stream
        Of the file, without a buffer.
    name
        Of the file.

    Attributes
    ----------
    name
        Of the file.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream, self.name = stream, name
        self._length = stream.seek(0, 2)

    def __len__(self) -> int:
        """Count the bytes that the file had when it was opened."""
        return self._length

    def part(self, start: int, count: int) -> bytes:
        """Read some bytes, fewer at the end of the file.

        Parameters
        ----------
        start
            Of the first of them.
        count
            Of bytes.
        """
        wanted = max(0, min(count, self._length - start))
        found = bytearray()
        try:
            self._stream.seek(min(start, self._length))
            while len(found) < wanted:
                more = self._stream.read(wanted - len(found))
                if not more:
                    raise InputError(f"{self.name}: has become shorter since it was opened; open it again.")
                found += more
        except OSError as error:
            raise InputError(f"{self.name}: cannot be read ({error.strerror or error}); copy it again.") from error
        return bytes(found)

    def word(self, start: int, size: int = 4) -> int:
        """Read a number without a sign, its lowest byte first.

        Parameters
        ----------
        start
            Of its first byte.
        size
            In bytes.
        """
        return int.from_bytes(self.part(start, size), "little")

    def records(self, start: int, dtype: np.dtype[np.void], count: int, stride: int) -> NDArray[np.void]:
        """Read records that stand at equal distances, and skip what is between them unless it is little.

        Parameters
        ----------
        start
            Of the first record.
        dtype
            Of a record.
        count
            Of records, all of which lie inside the file.
        stride
            Bytes from one record to the next, at least its size.
        """
        if stride <= _TOGETHER:
            block = self.part(start, (count - 1) * stride + dtype.itemsize)
            return np.ndarray((count,), dtype, block, strides=(stride,)).copy()
        places = range(start, start + count * stride, stride)
        return np.frombuffer(b"".join(self.part(place, dtype.itemsize) for place in places), dtype)


@contextmanager
def file_parts(path: Path) -> Iterator[FileParts]:
    """Open a file for as long as the block runs.

    Parameters
    ----------
    path
        Of the file.
    """
    try:
        stream = path.open("rb", buffering=0)
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name}: cannot be read ({error}); copy it again.") from error
    with stream:
        yield FileParts(stream, path.name)
