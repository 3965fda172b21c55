"""The state of a rival's training, in memory and on disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.shapes import SHAPES, NetworkShape
from napari_pogmdm.training.checkpoint_file import open_checkpoint, write_checkpoint
from napari_pogmdm.training.rivals.beginning import begin_quietly, begin_with
from napari_pogmdm.training.rivals.settings import RivalSettings

FILE_NAME = "rival-checkpoint.safetensors"
_KEY = "state"  # of the facts in the file
_BETAS = (0.9, 0.999)  # of Adam, its own defaults
_PULL = (
    "l2lam"  # ends names of Deep J-Sense's weights of its networks' results; below zero its equations have no minimum
)


@dataclass(frozen=True)
class RivalPoint:
    """One point of the validation curve.

    Attributes
    ----------
    iteration
        After which it was taken.
    seconds
        Of training so far.
    loss
        Running mean of the training loss.
    psnr
        Mean over the validation scans, in dB.
    zero_filled
        The same of zero-filled images.
    """

    iteration: int
    seconds: float
    loss: float
    psnr: float
    zero_filled: float


@dataclass
class RivalState:
    """All that a rival's training needs to go on.

    Attributes
    ----------
    shape
        Sizes of the network.
    settings
        How it is trained.
    network
        With its weights.
    averaged
        Moving average of the weights by name, which is what gets exported.
    first, second
        Moments of the gradients by name.
    iteration
        Steps done.
    seconds
        They took.
    history
        Validation curve so far.
    """

    shape: NetworkShape
    settings: RivalSettings
    network: nn.Module
    averaged: dict[str, Tensor]
    first: dict[str, Tensor]
    second: dict[str, Tensor]
    iteration: int = 0
    seconds: float = 0.0
    history: list[RivalPoint] = field(default_factory=list)

    @classmethod
    def begin(cls, shape: NetworkShape, settings: RivalSettings, trained: nn.Module | None = None) -> RivalState:
        """State before the first iteration, with the weights of a trained network if one is given."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            network = shape.make()
        begin_quietly(network)
        if trained is not None:
            begin_with(network, trained)
        weights = {name: values.detach() for name, values in network.named_parameters()}
        zeros = {name: torch.zeros_like(values) for name, values in weights.items()}
        return cls(
            shape,
            settings,
            network,
            {name: values.clone() for name, values in weights.items()},
            zeros,
            {name: values.clone() for name, values in zeros.items()},
        )

    def adam_step(self) -> None:
        """Take one step of Adam along the gradients that the network holds."""
        rate = self.settings.rate_at(self.iteration)
        fast, slow = (1 - decay**self.iteration for decay in _BETAS)
        with torch.no_grad():
            for name, values in self.network.named_parameters():
                gradient = values.grad
                if gradient is None:
                    continue
                first, second = self.first[name], self.second[name]
                first.lerp_(gradient, 1 - _BETAS[0])
                second.mul_(_BETAS[1]).addcmul_(gradient, gradient, value=1 - _BETAS[1])
                values.addcdiv_(first / fast, (second / slow).sqrt_().add_(1e-8), value=-rate)
                if name.endswith(_PULL):
                    values.clamp_min_(0.0)


def save_state(state: RivalState, folder: Path) -> None:
    """Write the state."""
    weights = {name: values.detach() for name, values in state.network.named_parameters()}
    parts = {"parameters": weights, "averaged": state.averaged, "first": state.first, "second": state.second}
    facts = {
        "rival": state.shape.kind.value,
        "shape": state.shape.to_dict(),
        "settings": state.settings.to_dict(),
        "iteration": state.iteration,
        "seconds": state.seconds,
        "history": [[p.iteration, p.seconds, p.loss, p.psnr, p.zero_filled] for p in state.history],
    }
    write_checkpoint(folder / FILE_NAME, parts, facts, _KEY)


def load_state(folder: Path) -> RivalState:
    """Read a state back.

    Raises
    ------
    InputError
        If there is no checkpoint or it cannot be read.
    """
    with open_checkpoint(folder / FILE_NAME, _KEY) as (facts, parts):
        shape = SHAPES[Rival(facts["rival"])].from_dict(facts["shape"])
        state = RivalState.begin(shape, RivalSettings.from_dict(facts["settings"]))
        for name, values in state.network.named_parameters():
            for part in ("parameters", "averaged", "first", "second"):
                if parts[part][name].shape != values.shape:
                    raise ValueError(f"{part}/{name} does not fit the network")
        state.network.load_state_dict(parts["parameters"], strict=False)
        state.averaged, state.first, state.second = parts["averaged"], parts["first"], parts["second"]
        state.iteration, state.seconds = int(facts["iteration"]), float(facts["seconds"])
        state.history = [RivalPoint(int(i), *map(float, rest)) for i, *rest in facts["history"]]
        return state
