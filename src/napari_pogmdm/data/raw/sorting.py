"""Which readouts make which slice: slices, contrasts, repetitions and the other counters of a raw file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.raw.lines import COUNTERS, Encoding, Indices, LineKind, Lines, RawSource, image_lines
from napari_pogmdm.errors import InputError

_NO_PLANE = {"epi": "echo-planar imaging, which needs a phase correction"}
_APART = {"separate", "external"}
_SAME_PLACE = 1e-3  # millimetres; slices closer than this are one


@dataclass(frozen=True, eq=False)
class Order:
    """Readouts by image.

    Attributes
    ----------
    dimensions
        How many slices there are, and of the other counters those that count.
    members
        Numbers of the readouts of every image; slices count up fastest. Of a 3-D scan, those of every slab.
    partitions
        Steps of the second phase encoding; 1 for 2-D scans.
    centre_2
        The one at zero frequency.
    kept_partitions
        Slices that a slab is cut into, without its oversampling.
    remarks
        What was found.
    """

    dimensions: dict[str, int]
    members: tuple[Indices, ...]
    partitions: int
    centre_2: int
    kept_partitions: int
    remarks: tuple[str, ...]


def sort_lines(source: RawSource) -> Order:
    """Sort the readouts of a file, or refuse a file that needs corrections which are not made."""
    lines, encoding = source.lines, source.encoding
    remarks: list[str] = []
    calibration = (lines["kind"] & int(LineKind.CALIBRATION)) != 0
    image = image_lines(lines, merged=False)
    if not image.any():
        image = image_lines(lines, merged=True)
    if not image.any():
        raise InputError(f"{source.name}: holds no readouts of an image; is it a calibration or adjustment scan?")
    _check_sequence(lines, image, encoding, source.name)
    coils = np.unique(lines["coils"][image])
    if len(coils) > 1:
        raise InputError(
            f"{source.name}: its readouts have {coils[0]} and {coils[-1]} coils; convert the file again with one coil "
            "selection."
        )
    merged = calibration & image_lines(lines, merged=True) & (lines["coils"] == coils[0])
    merged &= np.isin(lines["samples"], np.unique(lines["samples"][image]))
    if encoding.calibration in _APART and (calibration & ~image).any():
        remarks.append(f"{int((calibration & ~image).sum())} lines of a separate calibration scan were not used")
        merged[:] = False
    elif (merged & ~image).any():
        remarks.append(f"{int((merged & ~image).sum())} calibration lines kept as measured")
    ranks, dimensions, moved = _ranks(lines, image)
    if moved:
        remarks.append("slices sorted by position")
    chosen = np.flatnonzero((image | merged) & (ranks >= 0))
    flat = ranks[chosen]
    count = int(np.prod(list(dimensions.values())))
    order = np.argsort(flat, kind="stable")
    edges = np.searchsorted(flat[order], np.arange(count + 1))
    members = tuple(chosen[order[low:high]] for low, high in pairwise(edges))
    partitions, centre, kept = _partitions(lines[image], encoding, source.name)
    if partitions > 1:
        dimensions["slice"] *= kept
        remarks.append(f"3-D: {partitions} partitions transformed, {kept} slices kept")
    return Order(dimensions, members, partitions, centre, kept, tuple(remarks))


def _check_sequence(lines: Lines, image: NDArray[np.bool_], encoding: Encoding, name: str) -> None:
    kinds = lines["kind"][image]
    backwards = (kinds & int(LineKind.REVERSED)) != 0
    contrasts = lines["contrast"][image]
    mixed = (
        any(0 < backwards[contrasts == one].mean() < 1 for one in np.unique(contrasts)) if backwards.any() else False
    )
    if encoding.trajectory in _NO_PLANE or mixed:
        raise InputError(
            f"{name}: is {_NO_PLANE['epi']} that this program does not make; reconstruct it with the scanner's tools, "
            "or convert corrected k-space to NumPy or BART files."
        )
    if (kinds & int(LineKind.MULTIBAND)).any():
        raise InputError(
            f"{name}: holds several slices at once (multiband), which this program cannot separate; separate them "
            f"first."
        )


def _ranks(lines: Lines, image: NDArray[np.bool_]) -> tuple[NDArray[np.intp], dict[str, int], bool]:
    """Give the image of each readout, -1 for none, how many images there are, and whether slices changed places."""
    ranks = np.zeros(len(lines), dtype=np.intp)
    dimensions: dict[str, int] = {}
    stride, moved = 1, False
    for name in COUNTERS:
        values = np.unique(lines[name][image])
        if name == "slice" and len(values) > 1:
            ordered = _by_place(lines[image], values)
            moved = bool((ordered != values).any())
            values = ordered
        lookup = {int(value): place for place, value in enumerate(values)}
        place = np.array([lookup.get(int(value), -1) for value in lines[name]], dtype=np.intp)
        ranks = np.where((place < 0) | (ranks < 0), -1, ranks + stride * place)
        stride *= len(values)
        if name == "slice" or len(values) > 1:
            dimensions[name] = len(values)
    return ranks, dimensions, moved


def _by_place(lines: Lines, slices: NDArray[np.integer]) -> NDArray[np.integer]:
    """Sort slices along their common normal, where they have one."""
    first = np.array([np.flatnonzero(lines["slice"] == one)[0] for one in slices])
    normals = lines["directions"][first, 2].astype(np.float64)
    if not np.allclose(normals, normals[0], atol=1e-3) or not np.isfinite(normals).all():  # rounding in headers
        return slices
    heights = lines["position"][first].astype(np.float64) @ normals[0]
    if not np.isfinite(heights).all() or np.diff(np.sort(heights)).min() < _SAME_PLACE:
        return slices
    return slices[np.argsort(heights, kind="stable")]


def _partitions(lines: Lines, encoding: Encoding, name: str) -> tuple[int, int, int]:
    """Give the number of partitions, the central one, and how many slices a slab makes."""
    steps = np.unique(lines["step_2"])
    if len(steps) == 1 or lines["dimensions"].max() > 2:
        return 1, int(steps[0]), 1
    pairs = np.unique(np.stack((lines["step_1"], lines["step_2"]), axis=1), axis=0)
    if len(pairs) != len(np.unique(pairs[:, 0])) * len(steps):
        raise InputError(
            f"{name}: is a 3-D scan that skips samples in both phase-encoding directions; 2-D scans and 3-D scans with "
            "all partitions can be read."
        )
    last = int(steps[-1])
    stated = encoding.matrix[2] if encoding.matrix else 1
    count = stated if stated > last else last + 1
    centre = encoding.centre_2 if encoding.centre_2 is not None and encoding.centre_2 <= last else count // 2
    if not (steps[0] - centre + count // 2 >= 0 and last - centre + count // 2 < count):
        count, centre = last + 1, (last + 1) // 2
    kept = count
    if encoding.view_mm and encoding.recon_view_mm and 0 < encoding.recon_view_mm[2] < encoding.view_mm[2]:
        kept = max(1, round(count * encoding.recon_view_mm[2] / encoding.view_mm[2]))
    return count, centre, kept
