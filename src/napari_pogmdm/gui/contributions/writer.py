"""Image layers on disk: in fastMRI's result layout, or as NIfTI."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.images import import_nibabel, save_nifti
from napari_pogmdm.data.result_file import result_file
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.contributions.result_layers import Facts, record_text


def write_fastmri(path: str, data: NDArray[np.generic], facts: Facts) -> list[str]:
    """Write an image, or a stack of slices, as ``reconstruction``; the record of a run goes with it.

    Parameters
    ----------
    path
        Of the file, which may exist.
    data
        (rows, columns) or (slices, rows, columns), real.
    facts
        Of the layer, as napari gives them.
    """
    stack = _stack(data, facts, path)
    with result_file(Path(path), len(stack)) as file:
        for index, image in enumerate(stack):
            file.add(index, {"reconstruction": image})
        record = record_text(facts.get("metadata") or {})
        if record is not None:
            file.record(record)
    return [path]


def write_nifti(path: str, data: NDArray[np.generic], facts: Facts) -> list[str]:
    """Write an image, or a stack of slices, as NIfTI with the layer's scale as voxel size.

    Columns become the first axis, rows the second, slices the third.

    Parameters
    ----------
    path
        Of the file, which may exist; .nii or .nii.gz.
    data
        (rows, columns) or (slices, rows, columns), real.
    facts
        Of the layer, as napari gives them.
    """
    nibabel = import_nibabel(Path(path).name)
    stack = _stack(data, facts, path)
    scale = [float(step) for step in facts.get("scale", (1.0, 1.0))]
    depth = scale[-3] if len(scale) > 2 else 1.0
    image = nibabel.Nifti1Image(stack.transpose(2, 1, 0), np.diag([scale[-1], scale[-2], depth, 1.0]))
    in_millimetres = {str(unit) for unit in (facts.get("units") or ())[-2:]} == {"millimeter"}
    image.header.set_xyzt_units("mm" if in_millimetres else "unknown")
    save_nifti(image, Path(path))
    return [path]


def _stack(data: NDArray[np.generic], facts: Facts, path: str) -> NDArray[np.float32]:
    image = np.asarray(data)
    if facts.get("rgb") or image.ndim not in {2, 3} or image.dtype.kind not in "biuf":
        raise InputError(f"{Path(path).name}: images of one or several slices are written; this layer is another kind.")
    return np.asarray(image if image.ndim == 3 else image[None], dtype=np.float32)
