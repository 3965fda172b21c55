"""Options of ``train`` that become the settings of a training and the shape of its prior."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from napari_pogmdm.prior.configuration import Gain, PriorConfiguration, Sharing
from napari_pogmdm.training.settings import NoiseDistribution, TrainingSettings, Weighting

_USUAL = TrainingSettings()


@dataclass(frozen=True)
class TrainingOptions:
    """How to train: the fields of `TrainingSettings`, each an option of the command; see `grouped`."""

    iterations: Annotated[int, typer.Option(help="Optimiser steps.")] = _USUAL.iterations
    batch: Annotated[int, typer.Option(help="Patches per step, each at its own noise level.")] = _USUAL.batch
    patch: Annotated[int, typer.Option(help="Side of a patch; 0 chooses one that suits the filters.")] = _USUAL.patch
    noise: Annotated[NoiseDistribution, typer.Option(help="How noise levels are drawn.")] = _USUAL.noise
    sigma_max: Annotated[float, typer.Option(help="Largest noise level; the sampler needs 0.49.")] = _USUAL.sigma_max
    weighting: Annotated[Weighting, typer.Option(help="Weight of noise levels.")] = _USUAL.weighting
    weight_rate: Annotated[float, typer.Option(help="Learning rate of the mixture weights.")] = _USUAL.weight_rate
    filter_rate: Annotated[float, typer.Option(help="Learning rate of fully learned filters.")] = _USUAL.filter_rate
    generator_rate: Annotated[float, typer.Option(help="Learning rate of the shearlet generators.")] = (
        _USUAL.generator_rate
    )
    time_rate: Annotated[float, typer.Option(help="Learning rate of a learned time conditioning.")] = _USUAL.time_rate
    decay: Annotated[float, typer.Option(help="Last fraction of the training over which the rates fall to zero.")] = (
        _USUAL.decay
    )
    average: Annotated[float, typer.Option(help="Decay of the moving average of the parameters.")] = _USUAL.average
    augment: Annotated[bool, typer.Option(help="Rotate by right angles and flip.")] = _USUAL.augment
    keep_fan_shape: Annotated[
        bool, typer.Option("--keep-fan-shape", help="Start shearlets from the scaled instead of the projected fan.")
    ] = _USUAL.keep_fan_shape
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = _USUAL.seed

    @property
    def settings(self) -> TrainingSettings:
        """The settings that these options spell out."""
        return TrainingSettings.from_dict(asdict(self))


@dataclass(frozen=True)
class ShapeOptions:
    """Where a prior differs from the variant it is named after: fields of `PriorConfiguration`; see `grouped`."""

    filter_count: Annotated[int | None, typer.Option("--filters", help="Other number of fully learned filters.")] = None
    filter_size: Annotated[int | None, typer.Option(help="Other size of fully learned filters.")] = None
    scales: Annotated[int | None, typer.Option(help="Other number of shearlet scales, 1 to 4.")] = None
    sharing: Annotated[Sharing | None, typer.Option(help="Which shearlets share potentials.")] = None
    bound: Annotated[float | None, typer.Option(help="Other range [-BOUND, BOUND] of the mixtures' means.")] = None
    gain: Annotated[Gain | None, typer.Option(help="How a filter's gain is read off its spectrum.")] = None

    def changed(self, configuration: PriorConfiguration) -> PriorConfiguration:
        """Give a variant these values, where there are any."""
        values = {name: value for name, value in asdict(self).items() if value is not None}
        return configuration.from_dict(configuration.to_dict() | values)
