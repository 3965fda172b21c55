"""Weight files of any kind of prior: safetensors that are believed only after checks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from napari_pogmdm.errors import InputError, printable
from napari_pogmdm.reading import reading

LARGEST_FILE = 64 * 2**20  # bytes; the shipped priors have 4 kB to 2 MB, so more is another kind of file
_ZIP_MAGIC, _PICKLE_MAGIC, _HDF5_MAGIC = b"PK\x03\x04", b"\x80", b"\x89HDF"


def read_metadata(path: Path, formats: tuple[str, ...]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Read the metadata of a weight file, after checks that need no tensor.

    Parameters
    ----------
    path
        Of the file.
    formats
        That are understood.

    Returns
    -------
    Its format, the settings of its configuration, and its name and training.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as handle:
            start = handle.read(9)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the path and its permissions.") from error
    if size > LARGEST_FILE:
        raise InputError(
            f"{path} has {size // 2**20} MiB; a prior's weights have at most 2, so this is another kind of file."
        )
    # a safetensors file begins with any eight bytes, the header's length, and a brace
    if not start.endswith(b"{") and start.startswith((_ZIP_MAGIC, _PICKLE_MAGIC)):
        raise InputError(f"{path} is a pickled torch file, which can run code; convert it to safetensors first.")
    if start.startswith(_HDF5_MAGIC):
        raise InputError(f"{path} is an HDF5 file; give a .safetensors file with the weights of a prior.")
    with (
        reading(path, "safetensors file", "it is damaged, so download or export it again"),
        safe_open(path, framework="pt") as file,
    ):
        metadata = dict(file.metadata() or {})
    if metadata.get("format") not in formats:
        raise InputError(f"{path} holds no prior of this program; export one with 'napari-pogmdm train'.")
    try:
        settings = json.loads(metadata["configuration"])
        training = json.loads(metadata.get("training", "{}"))
        if not isinstance(settings, dict) or not isinstance(training, dict):
            raise ValueError("not a mapping")
    except (KeyError, ValueError, RecursionError) as error:
        raise InputError(f"{path} has no readable configuration in its metadata; export it again.") from error
    return metadata["format"], settings, {"name": printable(metadata.get("name", path.stem)), "training": training}


def read_tensors(path: Path, wanted: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """Tensors of a weight file, every one of the name and shape that is wanted, of finite numbers."""
    with (
        reading(path, "safetensors file", "it is damaged, so download or export it again"),
        safe_open(path, framework="pt") as file,
    ):
        names = set(file.keys())
        if names != set(wanted):
            odd = sorted(names ^ set(wanted))[0]
            state = "lacks" if odd in wanted else "has an unexpected"
            raise InputError(f"{path} {state} tensor {odd!r}; it does not fit its own configuration.")
        for name, shape in wanted.items():
            found = tuple(file.get_slice(name).get_shape())
            if found != shape:
                raise InputError(f"{path}: tensor {name!r} has shape {found} instead of {shape}; export it again.")
        tensors = {name: file.get_tensor(name) for name in wanted}
    for name, values in tensors.items():
        if not values.is_floating_point():
            raise InputError(f"{path}: tensor {name!r} holds {values.dtype} instead of floating-point numbers.")
        if not bool(torch.isfinite(values.double()).all()):
            raise InputError(
                f"{path}: tensor {name!r} contains NaN or infinity; the training diverged or the file is damaged."
            )
    return tensors
