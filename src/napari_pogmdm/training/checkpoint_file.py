"""The file of a checkpoint: tensors as safetensors, and the rest as JSON in their metadata."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.reading import reading

Parts = dict[str, dict[str, Tensor]]


def write_checkpoint(path: Path, parts: Mapping[str, Mapping[str, Tensor]], facts: dict[str, Any], key: str) -> None:
    """Write a state so that an interruption at any moment leaves the old or the new file, never half of one.

    Parameters
    ----------
    path
        The file.
    parts
        Tensors by part, such as "averaged", and by parameter.
    facts
        What is no tensor, as plain data.
    key
        Under which the facts stand; it tells kinds of training apart.
    """
    tensors = {f"{part}/{name}": values for part, found in parts.items() for name, values in found.items()}
    content = save({name: values.detach().contiguous() for name, values in tensors.items()}, {key: json.dumps(facts)})
    write_file(path, content)


@contextmanager
def open_checkpoint(path: Path, key: str) -> Iterator[tuple[dict[str, Any], Parts]]:
    """Read a state back; whatever goes wrong inside the block, too, is an unreadable checkpoint.

    Parameters
    ----------
    path
        The file.
    key
        Under which its facts stand.

    Yields
    ------
    Facts, with counts that can be; tensors by part and by parameter, all of them finite.

    Raises
    ------
    InputError
        If there is no checkpoint or it cannot be read.
    """
    if not path.exists():
        raise InputError(f"{path.parent} holds no {path.name}; start without --resume.")
    with reading(path, "checkpoint", "remove it and start again without --resume"):
        parts: Parts = {}
        with safe_open(path, framework="pt") as file:
            facts: dict[str, Any] = json.loads((file.metadata() or {})[key])
            for place in file.keys():  # noqa: SIM118 - not a dict
                part, _, name = place.partition("/")
                parts.setdefault(part, {})[name] = file.get_tensor(place)
        if not all(bool(values.double().isfinite().all()) for part in parts.values() for values in part.values()):
            raise ValueError("NaN or infinity")
        if int(facts["iteration"]) < 0 or not float(facts["seconds"]) >= 0:
            raise ValueError("counts below zero")
        yield facts, parts
