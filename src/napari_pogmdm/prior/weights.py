"""Weight files: safetensors with the prior's configuration and its training in their metadata."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.prior.configuration import MODEL_NAMES, PriorConfiguration
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.networks.configuration import NetworkConfiguration
from napari_pogmdm.prior.networks.prior import NetworkPrior, network_shapes
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weight_file import read_metadata, read_tensors
from napari_pogmdm.reading import is_file, shown

FORMAT, NETWORK_FORMAT = "napari-pogmdm prior 1", "napari-pogmdm network prior 1"
_SUM_TOLERANCE = 1e-3  # of a mixture's weights, which are stored in single precision and are averages of training steps
_LARGEST_FILTER = 1e3  # magnitude of a tap; those of the shipped priors stay below 0.6
_BUNDLED = Path(__file__).parent / "weights"


@dataclass(frozen=True)
class ModelEntry:
    """A model that ships with the package.

    Attributes
    ----------
    name
        What `load_prior` takes.
    path
        Its weight file.
    card
        Its model card, Markdown.
    parameter_count
        Learned numbers.
    sha256
        Of the weight file.
    training
        Summary of its training.
    """

    name: str
    path: Path
    card: Path
    parameter_count: int
    sha256: str
    training: Mapping[str, Any]


def parameter_hash(prior: ScorePrior) -> str:
    """Name a prior by its numbers, whatever file they came from."""
    digest = hashlib.sha256(json.dumps(prior.configuration.to_dict(), sort_keys=True).encode())
    for name, values in sorted(prior.parameters.items()):
        digest.update(name.encode() + values.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def list_models() -> tuple[ModelEntry, ...]:
    """Models that ship with the package, smallest family first, and networks last."""
    entries = []
    for name in MODEL_NAMES:
        path = _BUNDLED / f"{name}.safetensors"
        if path.exists():
            shapes, information = _read_shapes(path)
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            card, count = path.with_suffix(".md"), sum(math.prod(shape) for shape in shapes.values())
            entries.append(ModelEntry(name, path, card, count, digest, information.get("training", {})))
    return tuple(entries)


def load_prior(name_or_path: str | Path) -> Prior | NetworkPrior:
    """Load a bundled model by name, or your own weight file by path.

    Raises
    ------
    InputError
        With one sentence that says what is wrong with which file.
    """
    text = str(name_or_path)
    if text in MODEL_NAMES:
        path = _BUNDLED / f"{text}.safetensors"
    else:
        path = Path(text)
        if not is_file(path):
            raise InputError(
                f"There is no model {shown(text)!r}; choose one of {', '.join(MODEL_NAMES)}, "
                "or give a .safetensors file."
            )
    configuration, information = _read_configuration(path)
    information["source"] = text if text in MODEL_NAMES else str(path.resolve())
    name = str(information.get("name", path.stem))
    if isinstance(configuration, NetworkConfiguration):
        return NetworkPrior(configuration, read_tensors(path, network_shapes(configuration)), name, information)
    tensors = read_tensors(path, configuration.shapes)
    _check_experts(path, tensors)
    return Prior(configuration, tensors, name, information)


def load_experts(name_or_path: str | Path, purpose: str) -> Prior:
    """Load a prior whose filters and potentials can be looked at.

    Parameters
    ----------
    name_or_path
        See `load_prior`.
    purpose
        What needs them, for the sentence to somebody who gave a network.
    """
    return expect_experts(load_prior(name_or_path), purpose)


def expect_experts(prior: ScorePrior, purpose: str) -> Prior:
    """Give back a prior with filters and potentials, and refuse any other.

    Parameters
    ----------
    prior
        Of any kind.
    purpose
        What needs them, such as "Block Gibbs".

    Raises
    ------
    InputError
        If it has none.
    """
    if not isinstance(prior, Prior):
        raise InputError(f"{purpose} needs filters and potentials, and {prior.name} is a network; choose flf-tc.")
    return prior


def save_prior(prior: Prior | NetworkPrior, path: Path, name: str, training: Mapping[str, Any]) -> None:
    """Write a prior with a summary of its training: experts in single precision, a network's many numbers in half.

    Parameters
    ----------
    prior
        What to write.
    path
        Where to.
    name
        What the model is called.
    training
        Plain data: source, split, seed, iterations, seconds, validation.
    """
    network = isinstance(prior, NetworkPrior)
    kind = torch.float16 if network else torch.float32
    tensors = {key: values.to(kind).contiguous() for key, values in prior.parameters.items()}
    facts = {
        "format": NETWORK_FORMAT if network else FORMAT,
        "name": name,
        "configuration": json.dumps(prior.configuration.to_dict(), sort_keys=True),
        "training": json.dumps(dict(training), sort_keys=True),
    }
    write_file(path, save(tensors, facts))


def _read_configuration(path: Path) -> tuple[PriorConfiguration | NetworkConfiguration, dict[str, Any]]:
    kind, settings, information = read_metadata(path, (FORMAT, NETWORK_FORMAT))
    try:
        if kind == NETWORK_FORMAT:
            return NetworkConfiguration.from_dict(settings), information
        return PriorConfiguration.from_dict(settings), information
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _read_shapes(path: Path) -> tuple[Mapping[str, tuple[int, ...]], dict[str, Any]]:
    configuration, information = _read_configuration(path)
    if isinstance(configuration, NetworkConfiguration):
        return network_shapes(configuration), information
    return configuration.shapes, information


def _check_experts(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Refuse numbers that define no density."""
    half = tensors["weights"].double()
    sums = 2 * half.sum(-1) - half[:, 0]
    if bool((half <= 0).any()) or bool(((sums - 1).abs() > _SUM_TOLERANCE).any()):
        raise InputError(f"{path}: its mixture weights are not positive with sum one, so it defines no density.")
    if "time.scale" in tensors and bool((tensors["time.scale"] <= 0).any()):
        raise InputError(f"{path}: tensor 'time.scale' must be positive, or variances would be negative.")
    if bool((tensors.get("filters", torch.ones(1)).double().abs() > _LARGEST_FILTER).any()):
        raise InputError(f"{path}: its filters are larger than 1000; the training diverged.")
