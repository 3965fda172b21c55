"""Drawing batches of noisy patches for training, each iteration reproducible on its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from napari_pogmdm.errors import InputError
from napari_pogmdm.training.losses import Batch
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.volumes.groups import SliceGroups
from napari_pogmdm.training.volumes.slices import VolumeSlices

# Exponent p of sqrt(2t) = sigma_max u^p, u uniform: 1/2 makes t uniform, 2 draws more low noise.
_EXPONENTS = {"sigma-uniform": 1.0, "sigma-squared-uniform": 0.5, "sigma-root-uniform": 2.0}
# Powers of sigma that multiply the squared error of the noise, which is that of Tweedie's estimate over sigma^2.
_POWERS = {"noise": 0, "balanced": 1, "tweedie": 2}
SMALLEST_SIGMA = 1e-3  # the last level of the paper's schedule; at 0 there would be nothing to learn


class BatchSource:
    """Draws patches from training slices, every group equally often, and every volume within a group.

    The random generator of iteration i is seeded by (seed, i): nothing has to be remembered to resume exactly.

    Parameters
    ----------
    volumes
        Split slices; those to train on are used.
    settings
        Batch size, noise levels, weighting, augmentation and seed.
    patch
        Side of the patches in pixels; slices that are smaller are left out.
    """

    def __init__(self, volumes: Sequence[VolumeSlices], settings: TrainingSettings, patch: int) -> None:
        self._settings = settings
        self._patch = patch
        self._slices = SliceGroups(volumes, patch)
        if not self._slices:
            raise InputError(f"No training slice is at least {patch} x {patch} pixels; choose a smaller patch.")

    def draw(self, iteration: int) -> Batch:
        """Batch of one iteration."""
        settings, size = self._settings, self._patch
        rng = np.random.default_rng([settings.seed, iteration])
        clean = np.empty((settings.batch, size, size), dtype=np.float32)
        for target in clean:
            image = self._slices.draw(rng)
            top, left = (rng.integers(extent - size + 1) for extent in image.shape)
            crop = image[top : top + size, left : left + size]
            if settings.augment:
                crop = np.rot90(crop, int(rng.integers(4)))
                crop = crop[:, ::-1] if rng.integers(2) else crop
            target[:] = crop
        uniform = (np.arange(settings.batch) + rng.random(settings.batch)) / settings.batch
        if settings.noise == "sigma-log-uniform":
            levels = settings.sigma_max * (SMALLEST_SIGMA / settings.sigma_max) ** (1 - uniform)
        else:
            levels = settings.sigma_max * uniform ** _EXPONENTS[settings.noise]
        sigma = np.maximum(levels, SMALLEST_SIGMA).astype(np.float32)
        noise = rng.standard_normal(clean.shape, dtype=np.float32)
        importance = (sigma / settings.sigma_max) ** _POWERS[settings.weighting]
        clean += sigma[:, None, None] * noise
        return Batch(clean, noise, sigma, (importance / settings.batch).astype(np.float32))
