"""The state of a training, in memory and on disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from torch import Tensor

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.initial import initial_parameters, parameters_from
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import parameter_hash
from napari_pogmdm.training.adabelief import GradientMoments, initial_moments
from napari_pogmdm.training.checkpoint_file import open_checkpoint, write_checkpoint
from napari_pogmdm.training.settings import TrainingSettings

FILE_NAME = "checkpoint.safetensors"
_KEY = "state"  # of the facts in the file


@dataclass(frozen=True)
class ValidationPoint:
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
        Of one-step denoising, in dB, at each of `validation.LEVELS`.
    """

    iteration: int
    seconds: float
    loss: float
    psnr: tuple[float, ...]


@dataclass
class TrainingState:
    """All that a training needs to go on.

    Attributes
    ----------
    configuration
        What the prior is made of.
    settings
        How it is trained.
    parameters
        Learned tensors by name.
    averaged
        Their moving average, which is what gets shipped.
    moments
        Of the gradients, by name.
    iteration
        Steps done.
    seconds
        They took.
    history
        Validation curve so far.
    begun_with
        Name and hash of the trained prior that it began with, see `told`; empty for random numbers.
    """

    configuration: PriorConfiguration
    settings: TrainingSettings
    parameters: dict[str, Tensor]
    averaged: dict[str, Tensor]
    moments: dict[str, GradientMoments]
    iteration: int = 0
    seconds: float = 0.0
    history: list[ValidationPoint] = field(default_factory=list)
    begun_with: str = ""

    @classmethod
    def begin(
        cls, configuration: PriorConfiguration, settings: TrainingSettings, start: Prior | None = None
    ) -> TrainingState:
        """State before the first iteration.

        Parameters
        ----------
        configuration
            What the prior is made of.
        settings
            How it is trained.
        start
            A trained prior to begin with, instead of random numbers.
        """
        if start is None:
            parameters = initial_parameters(configuration, settings.seed, settings.keep_fan_shape)
        else:
            parameters = parameters_from(configuration, start, settings.seed)
        averaged = {name: values.clone() for name, values in parameters.items()}
        begun_with = told(start) if start is not None else ""
        return cls(configuration, settings, parameters, averaged, initial_moments(parameters), begun_with=begun_with)


def told(prior: ScorePrior) -> str:
    """Name a trained prior so that one can find out which it was."""
    return f"{prior.name} (parameters {parameter_hash(prior)[:12]})"


def save_checkpoint(state: TrainingState, folder: Path) -> None:
    """Write the state."""
    parts = {
        "parameters": state.parameters,
        "averaged": state.averaged,
        "first": {name: moments.first for name, moments in state.moments.items()},
        "second": {name: moments.second for name, moments in state.moments.items()},
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


def load_checkpoint(folder: Path) -> TrainingState:
    """Read a state back.

    Raises
    ------
    InputError
        If there is no checkpoint or it cannot be read.
    """
    with open_checkpoint(folder / FILE_NAME, _KEY) as (facts, parts):
        configuration = PriorConfiguration.from_dict(facts["configuration"])
        first, second = parts["first"], parts["second"]
        for part in ("parameters", "averaged", "first"):  # of "second", there is one a block
            for name, shape in configuration.shapes.items():
                if tuple(parts[part][name].shape) != shape:
                    raise ValueError(f"{part}/{name} does not fit the configuration")
        return TrainingState(
            configuration,
            TrainingSettings.from_dict(facts["settings"]),
            {name: parts["parameters"][name] for name in configuration.shapes},
            {name: parts["averaged"][name] for name in configuration.shapes},
            {name: GradientMoments(first[name], second[name]) for name in configuration.shapes},
            int(facts["iteration"]),
            float(facts["seconds"]),
            [ValidationPoint(int(i), float(s), float(loss), tuple(p)) for i, s, loss, p in facts["history"]],
            str(facts.get("begun_with", "")),
        )
