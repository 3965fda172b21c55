"""What one iteration of training for use computes: errors after all steps, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Self

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.runtime.threads import side_by_side
from napari_pogmdm.training.batches import BatchSource
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.unrolled.scans import ScanSource
from napari_pogmdm.training.unrolled.steps import (
    LEVELS,
    by_experts,
    denoise,
    denoising_error,
    denoising_levels,
    error,
    reconstruct,
)
from napari_pogmdm.training.unrolled.tables import LevelGradient, Tables
from napari_pogmdm.training.volumes.slices import VolumeSlices

_SMALLEST, _LARGEST = 0.015, 0.22  # noise levels of denoising in steps: those of the usual tables, and some more
_STEP_SHARE = 0.3  # weight of a decibel of denoising beside one of reconstruction, which is what the prior is for
_PATCH = 88  # pixels: in eight steps filters of 5 x 5 see 64 pixels, of which the outer ones hardly count
_PATCHES = 2  # at each noise level
_DRAWS = 19  # tells this generator from others with the same seed

_Part = tuple[float, list[tuple[int, LevelGradient]]]


class Use:
    """Draws scans and patches, and carries the errors of what becomes of them back to the prior.

    Parameters
    ----------
    scans
        To reconstruct; ``None`` for no reconstructions.
    patches
        To denoise in steps; ``None`` for none.
    settings
        Of the training.
    """

    def __init__(self, scans: ScanSource | None, patches: BatchSource | None, settings: TrainingSettings) -> None:
        self._scans, self._patches, self._settings = scans, patches, settings

    @classmethod
    def of(
        cls,
        whole: Sequence[VolumeSlices],
        sized: Sequence[VolumeSlices],
        settings: TrainingSettings,
    ) -> Self | None:
        """Make what the settings ask for, or nothing.

        Parameters
        ----------
        whole
            Slices to scan.
        sized
            Slices to cut patches from.
        settings
            Of the training.
        """
        if not settings.scans and not settings.step_levels:
            return None
        patches = None
        if settings.step_levels:
            drawn = replace(settings, batch=_PATCHES * settings.step_levels)
            patches = BatchSource(sized, drawn, _PATCH)
        scans = ScanSource(whole, settings.seed) if settings.scans else None
        return cls(scans, patches, settings)

    def gradients(
        self, configuration: PriorConfiguration, parameters: Mapping[str, Tensor], iteration: int
    ) -> tuple[float, dict[str, Tensor]]:
        """Mean error in decibels, and its gradient with respect to every parameter.

        Scans and levels are worked on side by side, and added in their order, so that the sum is the same on any
        number of threads.

        Parameters
        ----------
        configuration
            Of the prior.
        parameters
            Its learned tensors.
        iteration
            Decides what is drawn.
        """
        leaves = {name: values.detach().requires_grad_() for name, values in parameters.items()}
        count = self._settings.step_levels
        rng = np.random.default_rng([self._settings.seed, _DRAWS, iteration])
        places = (np.arange(count) + rng.random(count)) / max(count, 1)
        sigmas = [float(sigma) for sigma in _SMALLEST * (_LARGEST / _SMALLEST) ** places]
        steps = [level for sigma in sigmas for level in denoising_levels(sigma)]
        tables = Tables(configuration, leaves, (*LEVELS, *steps))
        work: list[Callable[[], _Part]] = []
        if self._scans is not None:
            work += [partial(self._scan, tables, iteration, number) for number in range(self._settings.scans)]
        if self._patches is not None:
            batch = self._patches.draw(iteration)
            clean = batch.noisy - batch.sigma[:, None, None] * batch.noise
            for number, sigma in enumerate(sigmas):
                own = slice(_PATCHES * number, _PATCHES * (number + 1))
                pair = torch.from_numpy(clean[own]), torch.from_numpy(batch.noise[own])
                work.append(partial(self._level, tables, number, sigma, *pair))
        parts: list[_Part | None] = [None] * len(work)

        def do(number: int) -> None:
            parts[number] = work[number]()

        side_by_side([partial(do, number) for number in range(len(work))])
        done = [part for part in parts if part is not None]
        return sum(loss for loss, _ in done), tables.pull_back([entry for _, found in done for entry in found])

    def _scan(self, tables: Tables, iteration: int, number: int) -> _Part:
        assert self._scans is not None
        scan = self._scans.draw(iteration, number)
        levels = tables.levels[: len(LEVELS)]
        gradients = [LevelGradient(level) for level in levels]
        with torch.enable_grad():
            loss = error(reconstruct(scan, by_experts(levels, gradients)), scan) / self._settings.scans
            loss.backward()  # type: ignore[no-untyped-call]
        return float(loss.detach()), list(enumerate(gradients))

    def _level(self, tables: Tables, number: int, sigma: float, clean: Tensor, noise: Tensor) -> _Part:
        count = len(denoising_levels(sigma))
        first = len(LEVELS) + number * count
        levels = tables.levels[first : first + count]
        gradients = [LevelGradient(level) for level in levels]
        with torch.enable_grad():
            noisy = (clean + sigma * noise).requires_grad_()
            loss = (
                _STEP_SHARE
                / self._settings.step_levels
                * denoising_error(denoise(noisy, sigma, by_experts(levels, gradients)), clean)
            )
            loss.backward()  # type: ignore[no-untyped-call]
        return float(loss.detach()), list(enumerate(gradients, first))
