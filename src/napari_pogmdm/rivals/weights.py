"""A rival from a file: one trained with this program, or a published checkpoint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor, nn

from napari_pogmdm.errors import InputError, printable
from napari_pogmdm.files import write_file
from napari_pogmdm.reading import is_file, reading, shown
from napari_pogmdm.rivals.layouts import check_layout, identify
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.shapes import SHAPES, NetworkShape, parameter_count
from napari_pogmdm.rivals.torch_file import read_torch_tensors
from napari_pogmdm.rivals.trained_on import TrainedOn
from napari_pogmdm.runtime.memory import free_memory

FORMAT = "napari-pogmdm rival 1"
LARGE_FILE = 256 * 2**20  # bytes above which a user hears how much memory a checkpoint takes before it is loaded
_BUNDLED = Path(__file__).parent / "weights"


@dataclass(frozen=True, eq=False)
class RivalModel:
    """A network with its weights.

    Attributes
    ----------
    name
        What to call it.
    source
        What `load_rival` takes: "" for the one that ships, or a path.
    shape
        Its sizes.
    network
        Ready to be used.
    trained_on
        What it has seen.
    training
        Summary of its training, where the file has one.
    """

    name: str
    source: str
    shape: NetworkShape
    network: nn.Module
    trained_on: TrainedOn
    training: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parameters(self) -> int:
        """How many learned numbers it has."""
        return parameter_count(self.network)

    @property
    def sha256(self) -> str:
        """Name of its numbers, whatever file they came from."""
        digest = hashlib.sha256(json.dumps(self.shape.to_dict(), sort_keys=True).encode())
        for name, values in sorted(self.network.named_parameters()):
            digest.update(name.encode() + values.detach().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()


def bundled_rivals() -> dict[Rival, Path]:
    """Weight files that lie in the package: none yet, as none is good enough to be called a rival."""
    return {rival: path for rival in Rival if (path := _BUNDLED / f"{rival}.safetensors").exists()}


def load_rival(rival: Rival | str | None, source: str | Path = "") -> RivalModel:
    """Load a rival.

    Parameters
    ----------
    rival
        Which network is wanted; ``None`` takes whatever the checkpoint holds.
    source
        A checkpoint: ``.safetensors``, or a file of ``torch.save`` with the published names of layers. Empty for the
        one that ships with the package.

    Raises
    ------
    InputError
        With one sentence that says what is wrong with which file.
    """
    rival = None if rival is None else Rival(rival)
    text = str(source)
    if not text:
        if rival is None or rival not in bundled_rivals():
            raise InputError(f"{rival}: no weights ship with this program; give a checkpoint with --model.")
        path = bundled_rivals()[rival]
    else:
        path = Path(text)
        if not is_file(path):
            raise InputError(f"{shown(text)}: no such file; give a checkpoint of a {rival or 'network'}.")
    _check_memory(path)
    metadata, tensors = _read(path)
    shape, prefix = _shape(metadata, tensors, path)
    if rival is not None and shape.kind is not rival:
        raise InputError(f"{shown(path)}: holds a {shape.kind}, not a {rival}; choose --method {shape.kind}.")
    with torch.device("meta"):
        network = shape.make()
    wanted = {}
    for name, _ in network.named_parameters():
        values = tensors[prefix + name]
        if not values.is_floating_point() or not bool(values.isfinite().all()):
            raise InputError(f"{shown(path)}: tensor {prefix + name!r} holds no finite numbers; it is damaged.")
        wanted[name] = values.float()
    network.load_state_dict(wanted, strict=True, assign=True)
    training = metadata.get("training", {})
    return RivalModel(
        name=printable(path.stem),
        source=text and str(path.resolve()),
        shape=shape,
        network=network.requires_grad_(False).eval(),
        trained_on=TrainedOn.from_dict(training.get("trained_on", {})),
        training=training,
    )


def memory_notice(source: str | Path) -> str:
    """Say how much memory a large checkpoint takes, before it is loaded; empty for a small one."""
    if not source or not is_file(source):
        return ""
    size = Path(source).stat().st_size
    if size < LARGE_FILE:
        return ""
    free = free_memory(torch.device("cpu"))
    count = size / 4e6
    return (
        f"{shown(source)}: about {count:,.0f} million parameters take {size / 1e9:.1f} GB of {free / 1e9:.1f} GB free."
    )


def save_rival(
    network: nn.Module | Mapping[str, Tensor], shape: NetworkShape, path: Path, training: Mapping[str, Any]
) -> None:
    """Write a rival's weights in half precision, which halves the file.

    Parameters
    ----------
    network
        With its weights, or these by name.
    shape
        Its sizes.
    path
        Where to.
    training
        Summary of its training; ``trained_on`` in it says what it has seen.
    """
    weights = dict(network.named_parameters()) if isinstance(network, nn.Module) else network
    tensors = {name: values.detach().half().contiguous() for name, values in weights.items()}
    facts = {
        "format": FORMAT,
        "rival": shape.kind.value,
        "shape": json.dumps(shape.to_dict(), sort_keys=True),
        "training": json.dumps(dict(training), sort_keys=True),
    }
    write_file(path, save(tensors, facts))


def _check_memory(path: Path) -> None:
    with reading(path, "checkpoint"):
        size, free = path.stat().st_size, free_memory(torch.device("cpu"))
    if size > free:
        raise InputError(
            f"{shown(path)}: takes {size / 1e9:.1f} GB of memory, but {free / 1e9:.1f} GB are free; close other "
            "programs or use a larger computer."
        )


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Read metadata, empty for strangers' files, and tensors."""
    with reading(path, "checkpoint", "copy or export it again"):
        with path.open("rb") as stream:
            start = stream.read(9)
        if not start.endswith(b"{"):  # a safetensors file begins with the length of its header, and a brace
            return {}, read_torch_tensors(path)
        with safe_open(path, framework="pt") as file:
            metadata = dict(file.metadata() or {})
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    if metadata.get("format") != FORMAT:
        return {}, tensors
    try:
        facts = {name: json.loads(metadata[name]) for name in ("shape", "training")}
        if not all(isinstance(one, dict) for one in facts.values()):
            raise ValueError("not a mapping")
        return {**facts, "rival": Rival(metadata["rival"])}, tensors
    except (KeyError, ValueError, RecursionError) as error:
        raise InputError(f"{shown(path)}: has no readable facts about its network; export it again.") from error


def _shape(metadata: Mapping[str, Any], tensors: Mapping[str, Tensor], path: Path) -> tuple[NetworkShape, str]:
    shapes = {name: tuple(values.shape) for name, values in tensors.items()}
    if not metadata:
        return identify(shapes, shown(path))
    try:
        shape = SHAPES[metadata["rival"]].from_dict(metadata["shape"])
    except InputError as error:
        raise InputError(f"{shown(path)}: {error}") from error
    check_layout(shape, shapes, "", shown(path))
    return shape, ""
