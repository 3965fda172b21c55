"""The table of readouts of an ISMRMRD file, and the lists of numbers in it, read past HDF5.

HDF5 keeps lists of any length in heaps of their own, and follows their addresses and lengths without looking: a damaged
file can end the whole program, and headers are not to be had without all samples. So HDF5 says where the blocks of the
table are, and all else is read here as the specification of its format has it, held against the length of the file.
Blocks may be compressed by deflate, the one that every HDF5 has.
"""

from __future__ import annotations

import zlib
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
_KNOWN = (_DEFLATE, _SHUFFLE, _CHECKSUM) = 1, 2, 3  # filters, by the numbers that HDF5 gives them


def check_layout(data: h5py.Dataset, name: str) -> None:
    """Refuse a table that could be read by HDF5 alone, whose crash would be ours.

    Parameters
    ----------
    data
        The table.
    name
        Of the file.
    """
    filters = _filters(data)
    long_addresses = data.file.id.get_create_plist().get_sizes() == (8, 8)
    if data.chunks is None or data.file.userblock_size or not long_addresses or not set(filters) <= set(_KNOWN):
        raise InputError(
            f"{name}: its table of readouts is stored in an unusual way; run h5repack -l CHUNK=1 -f NONE on it."
        )


def _filters(data: h5py.Dataset) -> list[int]:
    """Name the filters that blocks went through when they were written, in their order."""
    made = data.id.get_create_plist()
    return [int(made.get_filter(place)[0]) for place in range(made.get_nfilters())]


class ReadoutTable:
    """Rows of a table that passed `check_layout`.

    Parameters
    ----------
    data
        The table.
    parts
        The bytes of its file.
    """

    def __init__(self, data: h5py.Dataset, parts: FileParts) -> None:
        self._data, self._parts = data, parts
        self._filters = _filters(data)
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
        stored = found.byte_offset is not None and found.byte_offset + found.size <= len(self._parts)
        block = self._parts.part(found.byte_offset, found.size) if stored else b""
        for place, code in reversed(list(enumerate(self._filters))):
            if not found.filter_mask >> place & 1:  # a set bit: this block did without
                block = _undone(code, block, size, self._row.itemsize)
        if len(block) != size:
            raise InputError(f"{self._parts.name}: a part of its table of readouts is missing; copy it again.")
        return block

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


def _undone(code: int, block: bytes, size: int, row: int) -> bytes:
    """Undo one filter; of a damaged block comes something of another size.

    Parameters
    ----------
    code
        Of the filter.
    block
        Bytes that it gave.
    size
        Of the block before all filters.
    row
        Bytes of a row of the table.
    """
    if code == _CHECKSUM:
        return block[:-4]
    if code == _SHUFFLE:  # first bytes of all rows, second bytes, ...
        return np.frombuffer(block, np.uint8).reshape(row, -1).T.tobytes() if len(block) == size else b""
    try:
        return zlib.decompressobj().decompress(block, size + 4)  # no more than a block and its checksum
    except zlib.error:
        return b""
