"""Pictures of a sampler's state, and the numbers beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import centre_crop
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.prior.weights import parameter_hash
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.metrics import Metrics, metrics
from napari_pogmdm.recon.noise_floor import with_noise_floor
from napari_pogmdm.recon.sampler.algorithms.base import Sampler
from napari_pogmdm.recon.sampler.calibration import calibration_for
from napari_pogmdm.recon.sampler.moments import Moments
from napari_pogmdm.recon.sampler.state import SamplerState
from napari_pogmdm.recon.spread import Ratios, spread_of_mean
from napari_pogmdm.runs.roles import LIVE_ROLES, Role
from napari_pogmdm.runs.status import Frame, TracePoint
from napari_pogmdm.runtime.threads import fixed_blocks

_NO_METRICS = Metrics(math.nan, math.nan, math.nan)
DOUBTED_ERROR = 0.05  # of the maximum: an error that a reader of images would see
_LEAST_DEVIATION = 1e-6  # of that error; nothing is divided by zero
_FAINTEST = 1e-6  # of the strongest sample, which is -120 dB: what is left of single precision


@dataclass(frozen=True, eq=False)
class FrameContext:
    """Everything that a picture of a state depends on besides the state itself.

    Attributes
    ----------
    measurement
        What is reconstructed.
    sampler
        Made the state.
    reference
        (rows, columns) fully sampled image, cropped, in the units of the file, where there is one to compare with.
    moments
        Of the chains that are finished.
    chain
        Which one the state belongs to, counted from 0.
    """

    measurement: Measurement
    sampler: Sampler
    reference: FloatImage | None
    moments: Moments
    chain: int


@fixed_blocks()
def make_frame(
    context: FrameContext,
    state: SamplerState,
    wanted: Collection[str],
    measured: bool = True,
    noise: float | None = None,
) -> Frame:
    """Make the wanted pictures, cropped and in the units of the file, and the numbers of the trace.

    Parameters
    ----------
    context
        What the pictures depend on besides the state.
    state
        What is shown.
    wanted
        Roles of the pictures.
    measured
        Whether to take the numbers that cost as much as a data step; otherwise they are NaN.
    noise
        Noise found in the data, if it is known already: finding it costs as much as well.
    """
    if noise is None:
        noise = found_noise(context, state)
    shown = context.sampler.estimate(state)
    maps = state.coils[0] if shown.coils is None else shown.coils
    coils = root_sum_of_squares(maps)
    magnitude = _finished(context.measurement, shown.image.abs() * coils, noise)
    makers: dict[Role, Callable[[], FloatImage | None]] = {
        Role.IMAGE: lambda: magnitude,
        Role.PHASE: lambda: _cropped(context.measurement, _angle(shown.image)),
        Role.TWEEDIE: lambda: _tweedie(context, state, noise),
        Role.COIL_MAGNITUDE: lambda: _plain(maps.abs()),
        Role.COIL_PHASE: lambda: _plain(_angle(maps)),
        Role.MEAN: lambda: _mean(context),
        Role.DEVIATION: lambda: _deviation(context),
        Role.DOUBT: lambda: _doubt(context),
        Role.ERROR: lambda: None if context.reference is None else np.abs(magnitude - context.reference),
        Role.RESIDUAL: lambda: _residual(context, state),
    }
    made = {role: makers[role]() for role in LIVE_ROLES if role in wanted}
    arrays: dict[str, FloatImage] = {role: array for role, array in made.items() if array is not None}
    return Frame(arrays, _trace_point(context, state, magnitude, coils, measured))


@fixed_blocks()
def found_noise(context: FrameContext, state: SamplerState) -> float:
    """Noise that a state has found in the data, where the finished image carries a floor of it; else 0."""
    return float(context.sampler.found_noise(state)[0]) if context.measurement.noise_floor else 0.0


def _trace_point(
    context: FrameContext, state: SamplerState, magnitude: FloatImage, coils: Tensor, measured: bool
) -> TracePoint:
    numbers = metrics(context.reference, magnitude) if measured and context.reference is not None else _NO_METRICS
    low, high = torch.aminmax(coils)
    return TracePoint(
        chain=context.chain,
        iteration=state.iteration,
        substep=state.substep,
        sigma=context.sampler.level(state),
        psnr=numbers.psnr,
        ssim=numbers.ssim,
        nmse=numbers.nmse,
        misfit=context.sampler.misfit(state) if measured else math.nan,
        step_size=float(state.step_size[0]),
        coil_range=(float(low), float(high)),
    )


def _tweedie(context: FrameContext, state: SamplerState, noise: float) -> FloatImage:
    clean = replace(state, image=context.sampler.tweedie(state))
    return _finished(context.measurement, context.sampler.estimate(clean).magnitude, noise)


def _mean(context: FrameContext) -> FloatImage | None:
    if context.moments.count == 0:
        return None
    floor = context.moments.noise if context.measurement.noise_floor else 0.0
    return _finished(context.measurement, torch.from_numpy(context.moments.mean), floor)


def _deviation(context: FrameContext) -> FloatImage | None:
    """Give the deviation over chains, calibrated where somebody did so; none of chains that are no samples."""
    moments, sampler = context.moments, context.sampler
    if moments.count < 2 or not sampler.samples:
        return None
    known = calibration_for(sampler.settings, parameter_hash(sampler.prior))
    spread, factor = np.sqrt(moments.variance), 1.0
    if known is not None:
        spread = spread_of_mean(moments.variance, moments.count, mirrored=sampler.settings.mirror_noise)
        factor = known.factor_at(Ratios.of(spread, moments.mean, moments.noise))
    shown = torch.from_numpy(spread) * (factor * context.measurement.scale)
    return _cropped(context.measurement, shown)


def _doubt(context: FrameContext) -> FloatImage | None:
    """Give the probability that the mean of the chains is wrong by more than a share of the brightest pixel."""
    deviation, mean = _deviation(context), _mean(context)
    if deviation is None or mean is None:
        return None
    limit = DOUBTED_ERROR * float(mean.max()) / math.sqrt(2)
    beyond = torch.erfc(torch.from_numpy(limit / np.maximum(deviation, _LEAST_DEVIATION * limit)))
    return np.asarray(beyond.numpy(), dtype=np.float32)


def _residual(context: FrameContext, state: SamplerState) -> FloatImage:
    """Decibels below the strongest measured sample of what the image does not explain, RSS over coils."""
    left = root_sum_of_squares(context.sampler.residual_kspace(state))
    strongest = root_sum_of_squares(context.measurement.kspace).max()
    return _plain(20 * torch.log10((left / strongest).clamp_min(_FAINTEST)))


def _finished(measurement: Measurement, magnitude: Tensor, noise: float) -> FloatImage:
    """Magnitude as a finished image has it: with the noise floor of its reference, scaled, cropped."""
    image = magnitude.cpu().numpy()
    if noise:
        image = with_noise_floor(image, noise, measurement.physical_coils)
    shown = centre_crop(image * measurement.scale, measurement.crop)
    return np.ascontiguousarray(shown, dtype=np.float32)


def _cropped(measurement: Measurement, image: Tensor) -> FloatImage:
    return np.ascontiguousarray(centre_crop(image.cpu().numpy(), measurement.crop), dtype=np.float32)


def _plain(image: Tensor) -> FloatImage:
    return np.ascontiguousarray(image.cpu().numpy(), dtype=np.float32)


def _angle(image: Tensor) -> Tensor:
    return torch.angle(image) if image.is_complex() else torch.zeros_like(image)
