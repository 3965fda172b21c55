"""A result file as layers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.hdf5 import check_read_size, open_hdf5, plain_dataset
from napari_pogmdm.data.plain_data import read_plain
from napari_pogmdm.errors import InputError

LayerData = tuple[NDArray[Any], dict[str, Any], str]
_MAPS = {"reconstruction": 3, "mean": 3, "variance": 3, "coils": 4}
_WHITE_PERCENTILE = 99.8


def result_layers(path: Path) -> list[LayerData]:
    """Read reconstruction, mean, standard deviation and coil magnitudes, each with the record of its run.

    A volume keeps its slices as first axis; a single slice is shown as the image it is.
    """
    with open_hdf5(path) as file:
        found = {name: _read(file, name, dimensions) for name, dimensions in _MAPS.items() if name in file}
        recorded = "record" in file
    if "reconstruction" not in found:
        raise InputError(f"{path.name}: holds no reconstruction; open a result of this program.")
    white = float(np.percentile(found["reconstruction"], _WHITE_PERCENTILE)) or 1.0
    metadata = {"pogmdm record": read_plain(path) if recorded else None, "source": str(path)}
    image = {"metadata": metadata, "contrast_limits": (0.0, white)}
    layers: list[LayerData] = []
    if "coils" in found:
        limits = (0.0, float(np.abs(found["coils"]).max()) or 1.0)
        facts = {"name": f"{path.name}: coil maps |s|", "colormap": "viridis", "visible": False}
        layers.append((np.abs(found["coils"]), {**facts, "contrast_limits": limits, "metadata": metadata}, "image"))
    if "variance" in found:
        deviation = np.sqrt(np.maximum(found["variance"], 0.0))
        facts = {"name": f"{path.name}: standard deviation", "colormap": "inferno", "visible": False}
        limits = (0.0, float(np.percentile(deviation, _WHITE_PERCENTILE)) or 1.0)
        layers.append((deviation, {**facts, "contrast_limits": limits, "metadata": metadata}, "image"))
    if "mean" in found:
        layers.append((found["mean"], {"name": f"{path.name}: mean of chains", "visible": False, **image}, "image"))
    layers.append((found["reconstruction"], {"name": f"{path.name}: reconstruction", **image}, "image"))
    return layers


def record_text(metadata: dict[str, Any]) -> str | None:
    """Give the record of a run that travels with a layer, as JSON text."""
    record = metadata.get("pogmdm record")
    return None if record is None else json.dumps(record)


def _read(file: h5py.File, name: str, dimensions: int) -> NDArray[Any]:
    dataset = plain_dataset(file, name)
    where = Path(file.filename).name
    if dataset is None or dataset.ndim != dimensions or 0 in dataset.shape or dataset.dtype.kind not in "fc":
        raise InputError(f"{where}: {name} is not laid out as in a result of this program; write it again.")
    check_read_size(dataset, int(np.prod(dataset.shape, dtype=np.int64)), where)
    array = np.asarray(dataset[()])
    if not np.isfinite(array).all():
        raise InputError(f"{where}: {name} holds NaN or infinite values; the file is damaged, write it again.")
    return array[0] if array.shape[0] == 1 else array
