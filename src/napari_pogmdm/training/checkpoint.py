"""Checkpoints: the state of a training on disk, tensors as safetensors, the rest as JSON in their metadata."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.initial import initial_parameters, parameters_from
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.reading import reading
from napari_pogmdm.training.adabelief import GradientMoments, initial_moments
from napari_pogmdm.training.settings import TrainingSettings

FILE_NAME = "checkpoint.safetensors"


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
    """

    configuration: PriorConfiguration
    settings: TrainingSettings
    parameters: dict[str, Tensor]
    averaged: dict[str, Tensor]
    moments: dict[str, GradientMoments]
    iteration: int = 0
    seconds: float = 0.0
    history: list[ValidationPoint] = field(default_factory=list)

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
            parameters = parameters_from(configuration, start)
        averaged = {name: values.clone() for name, values in parameters.items()}
        return cls(configuration, settings, parameters, averaged, initial_moments(parameters))


def save_checkpoint(state: TrainingState, folder: Path) -> None:
    """Write the state so that an interruption at any moment leaves the old or the new file, never half of one."""
    tensors = {f"parameters/{name}": values for name, values in state.parameters.items()}
    tensors |= {f"averaged/{name}": values for name, values in state.averaged.items()}
    for name, moments in state.moments.items():
        tensors |= {f"first/{name}": moments.first, f"second/{name}": moments.second}
    facts = {
        "configuration": state.configuration.to_dict(),
        "settings": state.settings.to_dict(),
        "iteration": state.iteration,
        "seconds": state.seconds,
        "history": [[m.iteration, m.seconds, m.loss, list(m.psnr)] for m in state.history],
    }
    content = save({name: values.contiguous() for name, values in tensors.items()}, {"state": json.dumps(facts)})
    write_file(folder / FILE_NAME, content)


def load_checkpoint(folder: Path) -> TrainingState:
    """Read a state back.

    Raises
    ------
    InputError
        If there is no checkpoint or it cannot be read.
    """
    path = folder / FILE_NAME
    if not path.exists():
        raise InputError(f"{folder} holds no {FILE_NAME}; start without --resume.")
    with reading(path, "checkpoint", "remove it and start again without --resume"):
        with safe_open(path, framework="pt") as file:
            facts: dict[str, Any] = json.loads((file.metadata() or {})["state"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
        configuration = PriorConfiguration.from_dict(facts["configuration"])
        parts = {
            part: {name: tensors[f"{part}/{name}"] for name in configuration.shapes}
            for part in ("parameters", "averaged", "first", "second")
        }
        for part, found in parts.items():
            for name, shape in configuration.shapes.items():
                right = tuple(found[name].shape) == shape or part == "second"  # of which there is one a block
                if not right or not bool(found[name].double().isfinite().all()):
                    raise ValueError(f"{part}/{name} does not fit the configuration")
        if int(facts["iteration"]) < 0 or not float(facts["seconds"]) >= 0:
            raise ValueError("counts below zero")
        return TrainingState(
            configuration,
            TrainingSettings.from_dict(facts["settings"]),
            parts["parameters"],
            parts["averaged"],
            {name: GradientMoments(parts["first"][name], parts["second"][name]) for name in configuration.shapes},
            int(facts["iteration"]),
            float(facts["seconds"]),
            [ValidationPoint(int(i), float(s), float(loss), tuple(p)) for i, s, loss, p in facts["history"]],
        )
