"""Exporting a training as a weight file, with a summary of how it was made."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from napari_pogmdm import __version__
from napari_pogmdm.prior.weights import save_prior
from napari_pogmdm.training.checkpoint import TrainingState
from napari_pogmdm.training.networks.checkpoint import NetworkState
from napari_pogmdm.training.networks.trainer import averaged_network
from napari_pogmdm.training.trainer import averaged_prior
from napari_pogmdm.training.validation import LEVELS
from napari_pogmdm.training.volumes.slices import VolumeSlices


def training_summary(state: TrainingState | NetworkState, volumes: Sequence[VolumeSlices]) -> dict[str, Any]:
    """Plain facts about a training: data, split, settings, iterations, time and validation."""
    last = state.history[-1] if state.history else None
    return {
        "volumes": {
            volume.name: {"train": len(volume.train), "validation": len(volume.validation), "test": len(volume.test)}
            for volume in volumes
        },
        "begun_with": state.begun_with,
        "settings": state.settings.to_dict(),
        "iterations": state.iteration,
        "seconds": round(state.seconds),
        "validation_psnr": dict(zip(map(str, LEVELS), last.psnr, strict=True)) if last else {},
        "versions": {
            "napari-pogmdm": __version__,
            "torch": str(torch.__version__),
            "python": platform.python_version(),
        },
    }


def export_prior(state: TrainingState, volumes: Sequence[VolumeSlices], path: Path, name: str) -> Path:
    """Write the averaged parameters of a training as a weight file and return its path."""
    save_prior(averaged_prior(state, name), path, name, training_summary(state, volumes))
    return path


def export_network(state: NetworkState, volumes: Sequence[VolumeSlices], path: Path, name: str) -> Path:
    """Write the averaged parameters of a network's training as a weight file and return its path."""
    save_prior(averaged_network(state, name), path, name, training_summary(state, volumes))
    return path
