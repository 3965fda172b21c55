"""Weight files: safetensors with the prior's configuration and its training in their metadata."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from napari_pogmdm.errors import InputError, printable
from napari_pogmdm.files import write_file
from napari_pogmdm.prior.configuration import VARIANTS, PriorConfiguration
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.reading import is_file, reading, shown

FORMAT = "napari-pogmdm prior 1"
LARGEST_FILE = 64 * 2**20  # bytes; the shipped priors have 4 to 31 kB, so more is another kind of file
_SUM_TOLERANCE = 1e-3  # of a mixture's weights, which are stored in single precision and are averages of training steps
_LARGEST_FILTER = 1e3  # magnitude of a tap; those of the shipped priors stay below 0.6
_BUNDLED = Path(__file__).parent / "weights"
_ZIP_MAGIC, _PICKLE_MAGIC, _HDF5_MAGIC = b"PK\x03\x04", b"\x80", b"\x89HDF"


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


def parameter_hash(prior: Prior) -> str:
    """Name a prior by its numbers, whatever file they came from."""
    digest = hashlib.sha256(json.dumps(prior.configuration.to_dict(), sort_keys=True).encode())
    for name, values in sorted(prior.parameters.items()):
        digest.update(name.encode() + values.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def list_models() -> tuple[ModelEntry, ...]:
    """Models that ship with the package, smallest family first."""
    entries = []
    for name in VARIANTS:
        path = _BUNDLED / f"{name}.safetensors"
        if path.exists():
            configuration, information = _read_metadata(path)
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            card = path.with_suffix(".md")
            entries.append(
                ModelEntry(name, path, card, configuration.parameter_count, digest, information.get("training", {}))
            )
    return tuple(entries)


def load_prior(name_or_path: str | Path) -> Prior:
    """Load a bundled model by name, or one's own weight file by path.

    Raises
    ------
    InputError
        With one sentence that says what is wrong with which file.
    """
    text = str(name_or_path)
    if text in VARIANTS:
        path = _BUNDLED / f"{text}.safetensors"
    else:
        path = Path(text)
        if not is_file(path):
            raise InputError(
                f"There is no model {shown(text)!r}; choose one of {', '.join(VARIANTS)}, or give a .safetensors file."
            )
    configuration, information = _read_metadata(path)
    tensors = _read_tensors(path, configuration)
    source = text if text in VARIANTS else str(path.resolve())
    return Prior(configuration, tensors, str(information.get("name", path.stem)), {**information, "source": source})


def save_prior(prior: Prior, path: Path, name: str, training: Mapping[str, Any]) -> None:
    """Write a prior in single precision, with a summary of its training.

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
    tensors = {key: values.float().contiguous() for key, values in prior.parameters.items()}
    facts = {
        "format": FORMAT,
        "name": name,
        "configuration": json.dumps(prior.configuration.to_dict(), sort_keys=True),
        "training": json.dumps(dict(training), sort_keys=True),
    }
    write_file(path, save(tensors, facts))


def _read_metadata(path: Path) -> tuple[PriorConfiguration, dict[str, Any]]:
    """Read configuration and other metadata of a weight file, after checks that need no tensor."""
    try:
        size = path.stat().st_size
        with path.open("rb") as handle:
            start = handle.read(9)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the path and its permissions.") from error
    if size > LARGEST_FILE:
        raise InputError(
            f"{path} has {size // 2**20} MiB; a prior's weights have a few kB, so this is another kind of file."
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
    if metadata.get("format") != FORMAT:
        raise InputError(f"{path} holds no prior of this program; export one with 'napari-pogmdm train'.")
    try:
        settings = json.loads(metadata["configuration"])
        training = json.loads(metadata.get("training", "{}"))
        if not isinstance(settings, dict) or not isinstance(training, dict):
            raise ValueError("not a mapping")
    except (KeyError, ValueError, RecursionError) as error:
        raise InputError(f"{path} has no readable configuration in its metadata; export it again.") from error
    try:
        configuration = PriorConfiguration.from_dict(settings)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return configuration, {"name": printable(metadata.get("name", path.stem)), "training": training}


def _read_tensors(path: Path, configuration: PriorConfiguration) -> dict[str, Tensor]:
    """Tensors of a weight file, every one checked against the configuration."""
    wanted = configuration.shapes
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
    half = tensors["weights"].double()
    sums = 2 * half.sum(-1) - half[:, 0]
    if bool((half <= 0).any()) or bool(((sums - 1).abs() > _SUM_TOLERANCE).any()):
        raise InputError(f"{path}: its mixture weights are not positive with sum one, so it defines no density.")
    if "time.scale" in tensors and bool((tensors["time.scale"] <= 0).any()):
        raise InputError(f"{path}: tensor 'time.scale' must be positive, or variances would be negative.")
    if bool((tensors.get("filters", torch.ones(1)).double().abs() > _LARGEST_FILTER).any()):
        raise InputError(f"{path}: its filters are larger than 1000; the training diverged.")
    return tensors
