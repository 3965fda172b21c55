"""l1-wavelet reconstruction (compressed sensing) with calibrated coils; the wavelets are SigPy's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.espirit import NEEDS_SIGPY
from napari_pogmdm.physics.sense import image_gradient
from napari_pogmdm.recon.classical.espirit_cg import CROP
from napari_pogmdm.recon.classical.proximal import backtracked_step, inertia
from napari_pogmdm.recon.classical.tv import TvState
from napari_pogmdm.recon.coils.support import calibrate_or_low_pass
from napari_pogmdm.recon.data_term import DataTerm
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.settings import Settings, setting

_WAVELET = "db4"  # SigPy's default: smooth enough for tissue, short enough for edges
_SHIFTS = 8  # pixels a side that a grid of wavelets is moved by: the support of the finest db4
_STRIDES = 3, 5  # pixels a step: both without a common factor with the shifts, so that all places are visited


@dataclass(frozen=True)
class L1WaveletSettings(Settings):
    """Settings of l1-wavelet reconstruction."""

    title: ClassVar[str] = "l1-wavelet settings"

    steps: int = setting(100, "accelerated proximal-gradient iterations", within=(0, 1_000_000))
    weight: float = setting(
        0.0015,
        "weight of the wavelet coefficients' l1 norm against the data term",
        symbol="w",
        formula="1/2 |A x - y|^2 + w |W x|_1",
        within=(0.0, 1e6),
    )
    shift: bool = setting(True, "shift the grid of wavelets from step to step, so that its blocks do not show")
    crop: float = setting(CROP, "eigenvalue of the calibration below which a pixel is background", within=(0.0, 1.0))


class L1Wavelet:
    """Minimise 1/2 |M F (s x) - y|^2 + weight |W x|_1 over complex images that are zero off the object."""

    def __init__(self, measurement: Measurement, settings: L1WaveletSettings | None = None) -> None:
        try:
            from sigpy import linop
        except ImportError as error:
            raise InputError(f"l1-wavelet: {NEEDS_SIGPY}.") from error
        self.settings = settings or L1WaveletSettings()
        self._calibrated = calibrate_or_low_pass(measurement, self.settings.crop)
        self._coils = self._calibrated.used
        self._data = DataTerm(measurement)
        self._wavelet = linop.Wavelet(measurement.shape, wave_name=_WAVELET)

    @property
    def steps(self) -> int:
        """Iterations of a full run."""
        return self.settings.steps

    def start(self) -> TvState:
        """Begin at the first image."""
        image = -image_gradient(self._data.first_images, self._coils)
        return TvState(image, image, 0, 1.0)

    def step(self, state: TvState) -> TvState:
        """Extrapolate from the last two iterates, take one gradient step, and shrink the wavelet coefficients."""
        point = state.image + inertia(state.iteration) * (state.image - state.previous)
        image, lipschitz = backtracked_step(
            self._objective, self.shrinking(state.iteration), point, state.lipschitz, self._data.sense.encoding
        )
        return TvState(image, state.image, state.iteration + 1, lipschitz)

    def estimate(self, state: TvState) -> Estimate:
        """Show the image on the object, and the coils everywhere."""
        return Estimate(state.image * self._calibrated.support, self._calibrated.coils)

    def _objective(self, image: Tensor) -> tuple[Tensor, Tensor]:
        residual = self._data.residual(image, self._coils)
        return self._data.energy(residual, self._coils * image), image_gradient(residual, self._coils)

    def shrinking(self, iteration: int) -> Callable[[Tensor, float], Tensor]:
        """Make the proximal map of the penalty for an iteration, whose grid of wavelets lies where no other's did."""
        shift = tuple(iteration * stride % _SHIFTS for stride in _STRIDES) if self.settings.shift else (0, 0)

        def shrink(image: Tensor, step: float) -> Tensor:
            moved = np.roll(image.cpu().numpy(), shift, (0, 1))
            coefficients = self._wavelet(moved)
            size = np.abs(coefficients)
            kept = np.maximum(size - step * self.settings.weight, 0) / np.maximum(size, np.finfo(size.dtype).tiny)
            back = np.roll(self._wavelet.H(coefficients * kept), tuple(-one for one in shift), (0, 1))
            return torch.from_numpy(np.ascontiguousarray(back)).to(image)

        return shrink
