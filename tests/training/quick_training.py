"""A training of seconds, and whether two of them came out the same."""

from __future__ import annotations

from pathlib import Path

import torch

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.training.checkpoint import TrainingState
from napari_pogmdm.training.loop import Rhythm
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.trainer import train
from napari_pogmdm.training.volumes.slices import load_slices

SMALL = PriorConfiguration(filter_count=6)


QUICK = TrainingSettings(iterations=12, batch=3, patch=40, sigma_max=0.5, weight_rate=3e-3, filter_rate=1e-2, seed=3)


def run(folder: Path, out: Path, configuration: PriorConfiguration, settings: TrainingSettings) -> TrainingState:
    out.mkdir(exist_ok=True)
    state = TrainingState.begin(configuration, settings)
    train(state, load_slices(folder), out, lambda progress: None, rhythm=Rhythm(6, 4))
    return state


def same(first: TrainingState, second: TrainingState) -> bool:
    return all(
        torch.equal(first.parameters[name], second.parameters[name])
        and torch.equal(first.averaged[name], second.averaged[name])
        and torch.equal(first.moments[name].second, second.moments[name].second)
        for name in first.parameters
    )
