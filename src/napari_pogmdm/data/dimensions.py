"""Slices, contrasts and repetitions of a scan, which are numbered one after the other."""

from __future__ import annotations

from collections.abc import Mapping

from napari_pogmdm.data.acquisition import Scan
from napari_pogmdm.errors import InputError


def dimensions_of(scan: Scan) -> dict[str, int]:
    """Give how many slices a scan has, and how many contrasts, repetitions and so on where there are several.

    The first counts up fastest; their product is the length of the scan.
    """
    found: Mapping[str, int] | None = getattr(scan, "dimensions", None)
    return dict(found) if found else {"slice": len(scan)}


def index_of(scan: Scan, counters: Mapping[str, int]) -> int:
    """Give the number of an image in the scan.

    Parameters
    ----------
    scan
        What it is in.
    counters
        Its slice, contrast, repetition; what is left out is 0.
    """
    index, stride = 0, 1
    dimensions = dimensions_of(scan)
    for name, value in counters.items():
        count = dimensions.get(name, 1)
        if not 0 <= value < count:
            which = f"one {name}, 0" if count == 1 else f"{name}s 0 to {count - 1}"
            raise InputError(f"{scan.name} has no {name} {value}: it has {which}.")
    for name, count in dimensions.items():
        index += stride * counters.get(name, 0)
        stride *= count
    return index


def counters_of(scan: Scan, index: int) -> dict[str, int]:
    """Give slice, contrast and so on of an image by its number."""
    found = {}
    for name, count in dimensions_of(scan).items():
        index, found[name] = divmod(index, count)
    return found


def middle_of(scan: Scan) -> int:
    """Give the number of the middle slice, of the first contrast and repetition."""
    return dimensions_of(scan)["slice"] // 2


def words_of(scan: Scan, index: int) -> str:
    """Name an image: "slice 3, repetition 1"."""
    return ", ".join(f"{name} {value}" for name, value in counters_of(scan, index).items())
