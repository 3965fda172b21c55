"""Patches for networks: noisy and clean, some of them with the waves that phases leave in real parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.training.batches import BatchSource
from napari_pogmdm.training.networks.settings import NetworkTrainingSettings
from napari_pogmdm.training.volumes.slices import VolumeSlices

_TURNS = 0.5  # of a wave across a patch at most: phases of images vary that slowly
_PHASES = 7  # tells this generator from the one that draws the patches of the same iteration


class NetworkBatches:
    """Draws noisy patches with their clean ones, each iteration reproducible on its own.

    Parameters
    ----------
    volumes
        Split slices; those to train on are used.
    settings
        Of the training.
    """

    def __init__(self, volumes: Sequence[VolumeSlices], settings: NetworkTrainingSettings) -> None:
        self._settings = settings
        self._source = BatchSource(volumes, settings.patches, settings.patch)
        self._places = np.mgrid[: settings.patch, : settings.patch].astype(np.float32) / settings.patch

    def draw(self, iteration: int) -> tuple[Tensor, Tensor, Tensor]:
        """Noisy patches, clean ones (patches, side, side) and noise levels (patches,) of one iteration."""
        batch = self._source.draw(iteration)
        noise = batch.sigma[:, None, None] * batch.noise
        clean = batch.noisy - noise
        rng = np.random.default_rng([self._settings.seed, _PHASES, iteration])
        for patch in clean:
            if rng.random() < self._settings.phases:
                slopes = rng.uniform(-_TURNS, _TURNS, 2)
                turns = rng.random() + slopes[0] * self._places[0] + slopes[1] * self._places[1]
                patch *= np.cos(2 * np.pi * turns).astype(np.float32)
        return torch.from_numpy(clean + noise), torch.from_numpy(clean), torch.from_numpy(batch.sigma)
