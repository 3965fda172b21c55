"""Checkpoints of a network's training: tensors as safetensors, the rest as JSON in their metadata."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.prior.networks.configuration import NetworkConfiguration
from napari_pogmdm.prior.networks.unet import DenoisingUNet
from napari_pogmdm.reading import reading
from napari_pogmdm.training.checkpoint import FILE_NAME, ValidationPoint
from napari_pogmdm.training.networks.settings import NetworkTrainingSettings


@dataclass
class NetworkState:
    """All that the training of a network needs to go on.

    Attributes
    ----------
    configuration
        What the network is made of.
    settings
        How it is trained.
    network
        With its parameters.
    averaged
        Their moving average, by name.
    optimiser
        With its moments.
    iteration
        Steps done.
    seconds
        They took.
    history
        Validation curve so far.
    """

    configuration: NetworkConfiguration
    settings: NetworkTrainingSettings
    network: DenoisingUNet
    averaged: dict[str, Tensor]
    optimiser: torch.optim.Adam
    iteration: int = 0
    seconds: float = 0.0
    history: list[ValidationPoint] = field(default_factory=list)

    @classmethod
    def begin(cls, configuration: NetworkConfiguration, settings: NetworkTrainingSettings) -> NetworkState:
        """State before the first iteration, reproducible by seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            network = DenoisingUNet(configuration.channels, configuration.blocks)
        network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        averaged = {name: values.detach().clone() for name, values in network.named_parameters()}
        return cls(configuration, settings, network, averaged, torch.optim.Adam(network.parameters(), lr=settings.rate))


def save_network_state(state: NetworkState, folder: Path) -> None:
    """Write the state so that an interruption at any moment leaves the old or the new file, never half of one."""
    tensors = {f"averaged/{name}": values for name, values in state.averaged.items()}
    for name, values in state.network.named_parameters():
        tensors[f"parameters/{name}"] = values.detach()
        moments = state.optimiser.state.get(values, {})
        for part in ("exp_avg", "exp_avg_sq"):
            tensors[f"{part}/{name}"] = moments.get(part, torch.zeros_like(values.detach()))
    facts = {
        "configuration": state.configuration.to_dict(),
        "settings": state.settings.to_dict(),
        "iteration": state.iteration,
        "seconds": state.seconds,
        "history": [[m.iteration, m.seconds, m.loss, list(m.psnr)] for m in state.history],
    }
    content = save({name: values.contiguous() for name, values in tensors.items()}, {"network": json.dumps(facts)})
    write_file(folder / FILE_NAME, content)


def load_network_state(folder: Path) -> NetworkState:
    """Read a state back.

    Raises
    ------
    InputError
        If there is no checkpoint or it cannot be read.
    """
    path = folder / FILE_NAME
    if not path.exists():
        raise InputError(f"{folder} holds no {FILE_NAME}; start without --resume.")
    with reading(path, "checkpoint of a network", "remove it and start again without --resume"):
        with safe_open(path, framework="pt") as file:
            facts: dict[str, Any] = json.loads((file.metadata() or {})["network"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
        if not all(bool(values.isfinite().all()) for values in tensors.values()):
            raise ValueError("NaN or infinity")
        state = NetworkState.begin(
            NetworkConfiguration.from_dict(facts["configuration"]), NetworkTrainingSettings.from_dict(facts["settings"])
        )
        state.iteration, state.seconds = int(facts["iteration"]), float(facts["seconds"])
        for name, values in state.network.named_parameters():
            parts = {part: tensors[f"{part}/{name}"] for part in ("parameters", "averaged", "exp_avg", "exp_avg_sq")}
            if any(part.shape != values.shape for part in parts.values()):
                raise ValueError(f"{name} does not fit the configuration")
            values.data.copy_(parts["parameters"])
            state.averaged[name].copy_(parts["averaged"])
            state.optimiser.state[values] = {
                "step": torch.tensor(float(state.iteration)),
                "exp_avg": parts["exp_avg"].clone(memory_format=torch.preserve_format),
                "exp_avg_sq": parts["exp_avg_sq"].clone(memory_format=torch.preserve_format),
            }
        state.history = [ValidationPoint(int(n), float(s), float(v), tuple(q)) for n, s, v, q in facts["history"]]
        return state
