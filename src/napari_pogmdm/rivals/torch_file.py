"""Tensors of a checkpoint that torch saved, read without running any code in it."""

from __future__ import annotations

import pickle
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.reading import reading, shown

_NESTED = ("state_dict", "model_state_dict", "model")  # where Lightning, Deep J-Sense and scoreMRI keep the tensors
_ZIP_MAGIC, _PICKLE_MAGIC = b"PK\x03\x04", b"\x80"
_ADVICE = "save it again with torch.save"


def read_torch_tensors(path: Path) -> dict[str, Tensor]:
    """Read the tensors of a file of ``torch.save``, by name; they stay in the file until they are used, if it can be.

    Raises
    ------
    InputError
        If it is damaged, is no such file, or needs more than tensors and plain data to be read.
    """
    with reading(path, "torch checkpoint", _ADVICE):
        with path.open("rb") as stream:
            start = stream.read(4)
        if start.startswith(_ZIP_MAGIC):
            _check_stored(path)
        elif not start.startswith(_PICKLE_MAGIC):
            raise InputError(f"{shown(path)}: is not a checkpoint; give a file of torch.save, or .safetensors.")
        try:
            with warnings.catch_warnings(action="ignore"):  # of pickles that are refused in the next moment
                content = torch.load(path, map_location="cpu", weights_only=True, mmap=start.startswith(_ZIP_MAGIC))
        except pickle.UnpicklingError as error:
            raise InputError(
                f"{shown(path)}: would run its own code when it is read, or is damaged; where it was made, save only "
                f"its tensors: torch.save(torch.load({path.name!r}, weights_only=False)['model_state_dict'], "
                "'weights.pt'), with the name that its own program gives them."
            ) from error
        return _tensors(content, path)


def _check_stored(path: Path) -> None:
    """Refuse an archive that would grow when it is read; torch stores tensors as they are."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1 for member in members):
        raise InputError(f"{shown(path)}: is compressed or encrypted, which torch never does; {_ADVICE}.")
    if sum(member.file_size for member in members) > path.stat().st_size:
        raise InputError(f"{shown(path)}: claims more than it holds; copy it again.")


def _tensors(content: Any, path: Path) -> dict[str, Tensor]:
    for name in _NESTED:
        if isinstance(content, Mapping) and isinstance(content.get(name), Mapping):
            content = content[name]
            break
    if not isinstance(content, Mapping):
        raise InputError(f"{shown(path)}: holds a {type(content).__name__} instead of tensors by name; {_ADVICE}.")
    found = {str(name): values for name, values in content.items() if isinstance(values, Tensor)}
    held = path.stat().st_size
    for name, values in found.items():
        if values.layout != torch.strided or values.is_quantized or values.device.type != "cpu":
            raise InputError(f"{shown(path)}: tensor {name!r} is not an ordinary one; {_ADVICE}.")
        if values.numel() * values.element_size() > held:
            raise InputError(f"{shown(path)}: tensor {name!r} claims more than the file holds; copy it again.")
    return found
