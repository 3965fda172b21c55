"""The table of readouts of an ISMRMRD file, and the lists of numbers in it, read past HDF5.

HDF5 keeps lists of any length in heaps of their own, and follows their addresses and lengths without looking: a damaged
file can end the whole program, and headers are not to be had without all samples. So HDF5 says where the blocks of the
table are, and all else is read here as the specification of its format has it, held against the length of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.raw.file_parts import FileParts
from napari_pogmdm.errors import InputError

_LIST = np.dtype([("count", "<u4"), ("heap", "<u8"), ("number", "<u4")])  # how many numbers, and where they are
_HEAP = np.dtype([("mark", "S4"), ("version", "u1"), ("unused", "V3"), ("size", "<u8")])
_ITEM = np.dtype([("number", "<u2"), ("users", "<u2"), ("unused", "V4"), ("size", "<u8")])
_ALIGNED = 8  # bytes: items of a heap begin at multiples of it
_BYTES = 4  # of a number


def is_plain(data: h5py.Dataset) -> bool:
    """Tell whether the blocks of a table can be read as they are: not compressed, with addresses of eight bytes."""
    if data.chunks is None or data.file.userblock_size:
        return False
    return data.id.get_create_plist().get_nfilters() == 0 and data.file.id.get_create_plist().get_sizes() == (8, 8)


class ReadoutTable:
    """Rows of a table that `is_plain`.

    Parameters
    ----------
    data
        The table.
    parts
        The bytes of its file.
    """

    def __init__(self, data: h5py.Dataset, parts: FileParts) -> None:
        self._data, self._parts = data, parts
        kind = data.id.get_type()
        members = {name: kind.get_member_index(name.encode()) for name in ("head", "traj", "data")}
        self._row = np.dtype(
            {
                "names": list(members),
                "formats": [kind.get_member_type(members["head"]).dtype, _LIST, _LIST],
                "offsets": [kind.get_member_offset(member) for member in members.values()],
                "itemsize": kind.get_size(),
            }
        )
        if self._row.hasobject:
            raise InputError(f"{parts.name}: the headers of its readouts hold lists; export it again.")

    def rows(self, start: int, stop: int) -> NDArray[np.void]:
        """Read rows: ``head`` as it is, and of ``traj`` and ``data`` where their numbers are."""
        length = int(self._data.chunks[0])
        first = start // length
        table = b"".join(self._block(place * length, length) for place in range(first, -(-stop // length)))
        rows = np.frombuffer(table, self._row)[start - first * length :][: stop - start]
        if int(rows["data"]["count"].max(initial=0)) * _BYTES > len(self._parts):
            raise InputError(f"{self._parts.name}: a readout claims more samples than the file holds; copy it again.")
        return rows

    def values(self, field: str, start: int, stop: int) -> Iterator[NDArray[np.float32]]:
        """Read the numbers of ``traj`` or ``data`` of rows, one row after the other."""
        for place in self.rows(start, stop)[field]:
            count = int(place["count"])
            yield np.frombuffer(self._item(int(place["heap"]), int(place["number"]), count * _BYTES), "<f4")

    def _block(self, row: int, length: int) -> bytes:
        """Read one block of the table."""
        found = self._data.id.get_chunk_info_by_coord((row,))
        size = length * self._row.itemsize
        if found.byte_offset is None or found.size != size or found.byte_offset + size > len(self._parts):
            raise InputError(f"{self._parts.name}: a part of its table of readouts is missing; copy it again.")
        return self._parts.part(found.byte_offset, size)

    def _item(self, heap: int, number: int, size: int) -> bytes:
        """Read the first bytes of an item of a heap."""
        if size == 0:
            return b""
        held = self._whole(heap)
        place = _HEAP.itemsize
        while place + _ITEM.itemsize <= len(held):
            item: Any = np.frombuffer(held, _ITEM, 1, place)[0]
            begin = place + _ITEM.itemsize
            if item["number"] == number:
                if int(item["size"]) < size or begin + size > len(held):
                    break
                return held[begin : begin + size]
            if item["number"] == 0:  # the room that is left
                break
            place = begin + -(-int(item["size"]) // _ALIGNED) * _ALIGNED
        raise InputError(f"{self._parts.name}: the samples of a readout are missing; copy it again.")

    def _whole(self, heap: int) -> bytes:
        """Read a heap."""
        if heap + _HEAP.itemsize <= len(self._parts):
            facts: Any = np.frombuffer(self._parts.part(heap, _HEAP.itemsize), _HEAP)[0]
            if facts["mark"] == b"GCOL" and heap + int(facts["size"]) <= len(self._parts):
                return self._parts.part(heap, int(facts["size"]))
        raise InputError(f"{self._parts.name}: the samples of a readout are missing; copy it again.")
