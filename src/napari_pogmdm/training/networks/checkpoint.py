"""The state of a network's training, in memory and on disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from napari_pogmdm.prior.networks.configuration import NetworkConfiguration
from napari_pogmdm.prior.networks.prior import NetworkPrior
from napari_pogmdm.prior.networks.unet import DenoisingUNet
from napari_pogmdm.training.checkpoint import FILE_NAME, ValidationPoint, told
from napari_pogmdm.training.checkpoint_file import open_checkpoint, write_checkpoint
from napari_pogmdm.training.networks.settings import NetworkTrainingSettings

_KEY = "network"  # of the facts in the file
_MOMENTS = ("exp_avg", "exp_avg_sq")  # of the gradients, as Adam calls them


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
    begun_with
        Name and hash of the trained network that it began with; empty for random numbers.
    """

    configuration: NetworkConfiguration
    settings: NetworkTrainingSettings
    network: DenoisingUNet
    averaged: dict[str, Tensor]
    optimiser: torch.optim.Adam
    iteration: int = 0
    seconds: float = 0.0
    history: list[ValidationPoint] = field(default_factory=list)
    begun_with: str = ""

    @classmethod
    def begin(
        cls,
        configuration: NetworkConfiguration,
        settings: NetworkTrainingSettings,
        start: NetworkPrior | None = None,
    ) -> NetworkState:
        """State before the first iteration, reproducible by seed.

        Parameters
        ----------
        configuration
            What the network is made of.
        settings
            How it is trained.
        start
            A trained network of this configuration to begin with, instead of random numbers.
        """
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            network = DenoisingUNet(configuration.channels, configuration.blocks)
        if start is not None:
            network.load_state_dict(start.parameters)
        network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        averaged = {name: values.detach().clone() for name, values in network.named_parameters()}
        begun_with = told(start) if start is not None else ""
        optimiser = torch.optim.Adam(network.parameters(), lr=settings.rate)
        return cls(configuration, settings, network, averaged, optimiser, begun_with=begun_with)


def save_network_state(state: NetworkState, folder: Path) -> None:
    """Write the state."""
    weights = {name: values.detach() for name, values in state.network.named_parameters()}
    parts = {"parameters": weights, "averaged": state.averaged}
    for part in _MOMENTS:
        parts[part] = {
            name: state.optimiser.state.get(values, {}).get(part, torch.zeros_like(values))
            for name, values in state.network.named_parameters()
        }
    facts = {
        "configuration": state.configuration.to_dict(),
        "settings": state.settings.to_dict(),
        "iteration": state.iteration,
        "seconds": state.seconds,
        "begun_with": state.begun_with,
        "history": [[m.iteration, m.seconds, m.loss, list(m.psnr)] for m in state.history],
    }
    write_checkpoint(folder / FILE_NAME, parts, facts, _KEY)


def load_network_state(folder: Path) -> NetworkState:
    """Read a state back.

    Raises
    ------
    InputError
        If there is no checkpoint or it cannot be read.
    """
    with open_checkpoint(folder / FILE_NAME, _KEY) as (facts, parts):
        state = NetworkState.begin(
            NetworkConfiguration.from_dict(facts["configuration"]), NetworkTrainingSettings.from_dict(facts["settings"])
        )
        state.begun_with = str(facts.get("begun_with", ""))
        state.iteration, state.seconds = int(facts["iteration"]), float(facts["seconds"])
        for name, values in state.network.named_parameters():
            if any(parts[part][name].shape != values.shape for part in ("parameters", "averaged", *_MOMENTS)):
                raise ValueError(f"{name} does not fit the configuration")
            values.data.copy_(parts["parameters"][name])
            state.averaged[name].copy_(parts["averaged"][name])
            moments = {part: parts[part][name].clone(memory_format=torch.preserve_format) for part in _MOMENTS}
            state.optimiser.state[values] = {"step": torch.tensor(float(state.iteration)), **moments}
        state.history = [ValidationPoint(int(n), float(s), float(v), tuple(q)) for n, s, v, q in facts["history"]]
        return state
