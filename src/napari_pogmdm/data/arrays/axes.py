"""Axes of an array by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.raw.lines import COUNTERS
from napari_pogmdm.errors import InputError

AXES = ("coils", "rows", "columns", "samples", *(f"{name}s" for name in COUNTERS), "averages")
"""Names that an axis can have; several axes may be samples. Averages are averaged."""

_USUAL = {
    2: "rows,columns",
    3: "coils,rows,columns",
    4: "slices,coils,rows,columns",
    5: "repetitions,slices,coils,rows,columns",
}
"""What arrays of so many axes usually are."""

_SINGLE = "-"  # an axis of length one that needs no name


@dataclass(frozen=True, eq=False)
class NamedArray:
    """An array, in memory or on disk, and what its axes are.

    Attributes
    ----------
    values
        Anything that can be indexed like a NumPy array.
    axes
        A name of `AXES` for each of its axes, or "-" for one of length one.
    """

    values: NDArray[Any]
    axes: tuple[str, ...]

    def counters(self) -> dict[str, int]:
        """Give the sizes of slices, contrasts and so on, the fastest first."""
        sizes = dict(zip(self.axes, self.values.shape, strict=True))
        return {name: sizes[f"{name}s"] for name in COUNTERS if f"{name}s" in sizes}

    def take(self, counters: Mapping[str, int], order: tuple[str, ...]) -> NDArray[Any]:
        """Read one image.

        Parameters
        ----------
        counters
            Its slice, contrast and so on.
        order
            Axes of the array that is given, "samples" standing for all of that name together; an axis that is not
            there has length one.
        """
        index: list[int | slice] = []
        left: list[str] = []
        for name in self.axes:
            if name == _SINGLE:
                index.append(0)
            elif name[:-1] in COUNTERS:
                index.append(counters.get(name[:-1], 0))
            else:
                index.append(slice(None))
                left.append(name)
        check_still_whole(self.values)
        part = np.asarray(self.values[tuple(index)])
        if "averages" in left:
            part = part.mean(axis=left.index("averages"))
            left.remove("averages")
        wanted = [place for name in order for place in range(len(left)) if left[place] == name]
        part = part.transpose(wanted)
        sizes = []
        for name in order:
            found = [part.shape[number] for number, place in enumerate(wanted) if left[place] == name]
            sizes.append(int(np.prod(found)) if found else 1)
        return part.reshape(sizes)


def parse_axes(text: str, shape: tuple[int, ...], name: str, along_trajectory: bool = False) -> tuple[str, ...]:
    """Read the names of an array's axes, or guess them from how many there are.

    Parameters
    ----------
    text
        Names separated by commas; empty for the usual ones.
    shape
        Of the array.
    name
        Of the file.
    along_trajectory
        Whether its samples lie along a trajectory.
    """
    if not text:
        if along_trajectory:
            return ("coils", *("samples",) * (len(shape) - 1))
        if len(shape) not in _USUAL:
            raise InputError(
                f"{name}: has {len(shape)} axes {shape}; say which is which with --axes, such as "
                "--axes repetitions,slices,coils,rows,columns."
            )
        text = _USUAL[len(shape)]
    names = tuple(_full(part.strip().lower(), name) for part in text.split(","))
    if len(names) != len(shape):
        raise InputError(f"{name}: has {len(shape)} axes {shape}, but --axes names {len(names)} ({text}).")
    twice = {one for one in names if names.count(one) > 1} - {"samples", _SINGLE}
    if twice:
        raise InputError(f"{name}: --axes names {', '.join(sorted(twice))} twice; every axis has its own name.")
    wanted = {"samples"} if along_trajectory else {"rows", "columns"}
    if not wanted <= set(names):
        raise InputError(f"{name}: --axes {text} names no {' and '.join(sorted(wanted))}; k-space needs them.")
    if not along_trajectory and "samples" in names:
        raise InputError(f"{name}: --axes names samples, but there is no trajectory; give it with --trajectory-file.")
    if along_trajectory and {"rows", "columns"} & set(names):
        raise InputError(f"{name}: --axes names rows or columns, but the samples lie along a trajectory.")
    if any(one == _SINGLE and size != 1 for one, size in zip(names, shape, strict=True)):
        raise InputError(f"{name}: --axes gives no name to an axis that is longer than one; its shape is {shape}.")
    return names


def _full(word: str, name: str) -> str:
    for known in (*AXES, _SINGLE):
        if word and word in {known, known[:-1]}:
            return known
    raise InputError(f"{name}: --axes has no {word!r}; choose from {', '.join(AXES)}, and - for one of length one.")


def check_still_whole(values: NDArray[Any]) -> None:
    """Refuse to touch an array that is mapped into memory from a file which has become shorter since.

    Beyond the end of the file there is nothing to read, and the system would end the program.
    """
    mapped: Any = values
    while mapped is not None and not isinstance(mapped, np.memmap):
        mapped = getattr(mapped, "base", None)
    while mapped is not None and isinstance(mapped.base, np.memmap):
        mapped = mapped.base
    if mapped is None or mapped.filename is None:
        return
    path = Path(mapped.filename)
    held = path.stat().st_size if path.is_file() else 0
    if held < mapped.offset + mapped.nbytes:
        raise InputError(f"{path.name}: has become shorter since it was opened; open it again.")
