"""Weight files: round trip, and a clear sentence for every bad one."""

from __future__ import annotations

import json
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import FURTHER_MODELS, VARIANTS, Further, PriorConfiguration
from napari_pogmdm.prior.initial import initial_parameters
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.weight_file import LARGEST_FILE
from napari_pogmdm.prior.weights import FORMAT, list_models, load_prior, save_prior

SMALL = PriorConfiguration(filter_count=3, filter_size=3)


def good(conditioning: str = "heat") -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    configuration = PriorConfiguration.from_dict(SMALL.to_dict() | {"conditioning": conditioning})
    tensors = dict(initial_parameters(configuration, 0))
    metadata = {
        "format": FORMAT,
        "name": "small",
        "configuration": json.dumps(configuration.to_dict()),
        "training": "{}",
    }
    return tensors, metadata


def test_round_trip_keeps_parameters_and_story(tmp_path: Path) -> None:
    prior = Prior(SMALL, initial_parameters(SMALL, 1))
    path = tmp_path / "mine.safetensors"
    save_prior(prior, path, "mine", {"iterations": 7, "seed": 1})
    again = load_prior(path)
    assert again.name == "mine"
    assert again.configuration == SMALL
    assert again.information["training"] == {"iterations": 7, "seed": 1}
    for name, values in prior.parameters.items():
        torch.testing.assert_close(again.parameters[name], values, rtol=1e-6, atol=1e-9)


def with_tensor(name: str, values: torch.Tensor | None) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        tensors, metadata = good("softplus")
        tensors.pop(name, None)
        if values is not None:
            tensors[name] = values
        save_file(tensors, path, metadata)

    return write


def with_metadata(**changes: Any) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        tensors, metadata = good()
        for key, value in changes.items():
            if value is None:
                metadata.pop(key)
            else:
                metadata[key] = value
        save_file(tensors, path, metadata)

    return write


def with_bytes(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        tensors, metadata = good()
        save_file(tensors, path, metadata)
        path.write_bytes(change(path.read_bytes()))

    return write


def oversized(path: Path) -> None:
    with path.open("wb") as handle:
        handle.truncate(LARGEST_FILE + 1)


def torch_pickle(path: Path) -> None:
    torch.save(good()[0], path)


def configured(**changes: Any) -> str:
    return json.dumps(SMALL.to_dict() | changes)


BAD: dict[str, tuple[Callable[[Path], None], str]] = {
    "empty": (lambda path: path.write_bytes(b"") and None, "damaged"),
    "text": (lambda path: path.write_text("hello, this is no weight file at all") and None, "damaged"),
    "half": (with_bytes(lambda content: content[: len(content) // 2]), "damaged"),
    "header only": (with_bytes(lambda content: content[:20]), "damaged"),
    "huge header": (with_bytes(lambda content: struct.pack("<Q", 2**62) + content[8:]), "damaged"),
    "trailing": (with_bytes(lambda content: content + b"x" * 10), "damaged"),
    "oversized": (oversized, "MiB"),
    "torch pickle": (torch_pickle, "pickled"),
    "plain pickle": (lambda path: path.write_bytes(pickle.dumps({"weights": 1})) and None, "pickled"),
    "hdf5": (lambda path: path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100)) and None, "HDF5"),
    "other model": (with_metadata(format="something else"), "no prior"),
    "no format": (with_metadata(format=None), "no prior"),
    "no configuration": (with_metadata(configuration=None), "configuration"),
    "broken configuration": (with_metadata(configuration="{not json"), "configuration"),
    "list configuration": (with_metadata(configuration="[1, 2]"), "configuration"),
    "unknown setting": (with_metadata(configuration=configured(colour="red")), "colour"),
    "wrong family": (with_metadata(configuration=configured(family="wavelet")), "family"),
    "giant configuration": (with_metadata(configuration=configured(components=10**9 + 1)), "components"),
    "text number": (with_metadata(configuration=configured(filter_count="3")), "filter_count"),
    "other shape": (with_metadata(configuration=configured(filter_count=4)), "shape"),
    "missing tensor": (with_tensor("filters", None), "lacks"),
    "extra tensor": (with_tensor("extra", torch.zeros(3)), "unexpected"),
    "wrong shape": (with_tensor("filters", torch.zeros(3, 5, 5)), "shape"),
    "integers": (with_tensor("filters", torch.zeros(3, 3, 3, dtype=torch.int32)), "floating"),
    "nan": (with_tensor("filters", torch.full((3, 3, 3), float("nan"))), "NaN"),
    "infinity": (with_tensor("time.slope", torch.tensor([1.0, float("inf"), 1.0])), "NaN or infinity"),
    "negative weights": (with_tensor("weights", torch.full((3, 63), -1.0)), "mixture weights"),
    "weights off the simplex": (with_tensor("weights", torch.full((3, 63), 0.5)), "mixture weights"),
    "negative scale": (with_tensor("time.scale", torch.tensor([1.0, -1.0, 1.0])), "positive"),
    "diverged filters": (with_tensor("filters", torch.full((3, 3, 3), 1e6)), "diverged"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(BAD))
def test_bad_files_get_one_clear_sentence(tmp_path: Path, kind: str) -> None:
    write, word = BAD[kind]
    path = tmp_path / "bad.safetensors"
    write(path)
    with pytest.raises(InputError) as caught:
        load_prior(path)
    message = str(caught.value)
    assert word in message
    assert "bad.safetensors" in message
    assert "\n" not in message


def test_unknown_names_and_folders_are_refused(tmp_path: Path) -> None:
    for wish in ("nonsense", str(tmp_path), str(tmp_path / "missing.safetensors")):
        with pytest.raises(InputError, match="flf-tc"):
            load_prior(wish)


def test_shipped_models_are_complete() -> None:
    assert [entry.name for entry in list_models()] == [*VARIANTS, *FURTHER_MODELS]
    assert list(FURTHER_MODELS) == list(Further)
    for name, configuration in {**VARIANTS, **FURTHER_MODELS}.items():
        assert (load_prior(name).name, load_prior(name).configuration) == (name, configuration)
    for entry in list_models():
        card = entry.card.read_text(encoding="utf-8")
        assert entry.sha256 in card
        assert str(entry.parameter_count) in card
        assert load_prior(entry.name).parameter_count == entry.parameter_count
        assert entry.path.stat().st_size < 100_000
