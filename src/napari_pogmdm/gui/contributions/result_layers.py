"""A result file as layers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import white_of
from napari_pogmdm.data.hdf5 import check_read_size, open_hdf5, plain_dataset
from napari_pogmdm.data.plain_data import read_plain
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.layers.style import DEVIATION_SHARE

Facts = dict[str, Any]
"""What napari wants to know of a layer, by the names of its arguments."""

LayerData = tuple[NDArray[Any], Facts, str]
"""Data, facts, and the kind of layer, as napari takes them."""

RECORD_KEY = "pogmdm record"
"""Under which the record of a run travels with a layer."""

_AXES = {
    **{name: {3} for name in ("reconstruction", "mean", "variance", "std", "noise_map", "g_factor")},
    "coils": {4, 5},
}
"""How many axes the arrays of a result file have, slices first; several sets of coil maps have one more."""


def result_layers(path: Path) -> list[LayerData]:
    """Read reconstruction, mean, standard deviation and coil magnitudes, each with the record of its run.

    A volume keeps its slices as first axis; a single slice is shown as the image it is.
    """
    with open_hdf5(path) as file:
        found = {name: _read(file, name, axes) for name, axes in _AXES.items() if name in file}
        recorded = "record" in file
    if "reconstruction" not in found:
        raise InputError(f"{path.name}: holds no reconstruction; open a result of this program.")
    metadata = {RECORD_KEY: read_plain(path) if recorded else None, "source": str(path)}

    def layer(title: str, data: NDArray[Any], white: float, **look: object) -> LayerData:
        facts = {"name": f"{path.name}: {title}", "contrast_limits": (0.0, white), "metadata": metadata}
        return data, {**facts, **look}, "image"

    white = white_of(found["reconstruction"])
    layers: list[LayerData] = []
    if "coils" in found:
        maps = np.abs(found["coils"])
        layers.append(layer("coil maps |s|", maps, float(maps.max()) or 1.0, colormap="viridis", visible=False))
    if "noise_map" in found:
        noise = found["noise_map"]
        layers.append(layer("noise map", noise, white_of(noise), colormap="inferno", visible=False))
    if "g_factor" in found:
        factor = found["g_factor"]
        layers.append(layer("g-factor", factor, white_of(factor), colormap="viridis", visible=False))
    if "std" in found:
        # One scale for all files, or a map of small deviations would glow like one of large ones.
        limit = DEVIATION_SHARE * white
        layers.append(layer("standard deviation", found["std"], limit, colormap="inferno", visible=False))
    elif "variance" in found:
        spread = np.sqrt(np.maximum(found["variance"], 0.0))
        title = "spread of chains, not calibrated"
        layers.append(layer(title, spread, white_of(spread), colormap="inferno", visible=False))
    if "mean" in found:
        layers.append(layer("mean of chains", found["mean"], white, visible=False))
    layers.append(layer("reconstruction", found["reconstruction"], white))
    return layers


def record_text(metadata: Facts) -> str | None:
    """Give the record of a run that travels with a layer, as JSON text."""
    record = metadata.get(RECORD_KEY)
    return None if record is None else json.dumps(record)


def _read(file: h5py.File, name: str, axes: set[int]) -> NDArray[Any]:
    """Read an array whole, or say what is wrong with it; of a single slice, without the axis of slices."""
    dataset = plain_dataset(file, name)
    where = Path(file.filename).name
    if dataset is None or dataset.ndim not in axes or 0 in dataset.shape or dataset.dtype.kind not in "fc":
        raise InputError(f"{where}: {name} is not laid out as in a result of this program; write it again.")
    check_read_size(dataset, int(np.prod(dataset.shape, dtype=np.int64)), where)
    array = np.asarray(dataset[()])
    if not np.isfinite(array).all():
        raise InputError(f"{where}: {name} holds NaN or infinite values; the file is damaged, write it again.")
    return array[0] if array.shape[0] == 1 else array
