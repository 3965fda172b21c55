"""A sampler's state on disk: plain arrays, from which a run goes on bit by bit as if it had never stopped."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import atomic_path
from napari_pogmdm.recon.sampler.state import SamplerState


def save_state(state: SamplerState, path: Path) -> None:
    """Write a state."""
    tensors = {"image": state.image, "coils": state.coils, "step_size": state.step_size}
    tensors |= {"data_noise": state.data_noise, "previous": state.previous}
    tensors |= {f"noise{chain}": values for chain, values in enumerate(state.noise)}
    facts = json.dumps({"iteration": state.iteration, "substep": state.substep, "chains": len(state.noise)})
    with atomic_path(path) as temporary:
        save_file({name: values.cpu().contiguous() for name, values in tensors.items()}, temporary, {"state": facts})


def load_state(path: Path, device: str | torch.device = "cpu") -> SamplerState:
    """Read what `save_state` wrote."""
    try:
        with safe_open(path, framework="pt") as file:
            facts = json.loads(file.metadata()["state"])
            return SamplerState(
                image=file.get_tensor("image").to(device),
                coils=file.get_tensor("coils").to(device),
                iteration=int(facts["iteration"]),
                substep=int(facts["substep"]),
                noise=tuple(file.get_tensor(f"noise{chain}") for chain in range(facts["chains"])),
                step_size=file.get_tensor("step_size"),
                data_noise=file.get_tensor("data_noise"),
                previous=file.get_tensor("previous").to(device),
            )
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: is not a readable sampler state ({error}).") from error
