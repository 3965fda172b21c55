"""The one door from a measurement to an image: every method by its name."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.classical.cg_sense import CgSense, CgSenseSettings
from napari_pogmdm.recon.classical.joint_tv import JointTotalVariation, JointTvSettings
from napari_pogmdm.recon.classical.tv import TotalVariation, TvSettings
from napari_pogmdm.recon.classical.zero_filled import ZeroFilled
from napari_pogmdm.recon.coils.given import CoilMaps, load_coil_maps
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.data_term import DataTerm
from napari_pogmdm.recon.defaults import DEFAULT_MODEL, DEFAULT_PRESET
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.noise_floor import residual_noise
from napari_pogmdm.recon.record import record_run
from napari_pogmdm.recon.result import Reconstruction, finish
from napari_pogmdm.recon.sampler.changes import Change
from napari_pogmdm.recon.sampler.preset_file import read_settings
from napari_pogmdm.recon.sampler.presets import preset as preset_named
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.sample import sample
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.stepper import CancelCheck, Estimate, Progress, Stepper, run
from napari_pogmdm.runtime.pool.pool import Pool
from napari_pogmdm.runtime.threads import fixed_blocks

ClassicalSettings = CgSenseSettings | TvSettings | JointTvSettings

_CLASSICAL: dict[str, tuple[type[ClassicalSettings] | None, Callable[..., Stepper[Any]]]] = {
    Method.ZERO_FILLED: (None, ZeroFilled),
    Method.CG_SENSE: (CgSenseSettings, CgSense),
    Method.TV: (TvSettings, TotalVariation),
    Method.JOINT_TV: (JointTvSettings, JointTotalVariation),
}


def reconstruct(
    measurement: Measurement,
    method: str = Method.POGMDM,
    *,
    model: str | Path | ScorePrior | None = None,
    preset: str | Path | SamplerSettings | None = None,
    chains: int | None = None,
    seed: int = 0,
    device: str | None = None,
    maps: str | Path | CoilMaps | None = None,
    changes: Sequence[Change] = (),
    stop_after: int | None = None,
    store: Path | None = None,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
    pool: Pool | None = None,
    **settings: Any,
) -> Reconstruction:
    """Reconstruct a measurement; the same seed on the same device gives the same bits.

    Parameters
    ----------
    measurement
        What `measure` gave.
    method
        One of `Method`: "pogmdm", the learned prior, or one of the classical methods.
    model
        Name of a shipped prior (``list_models()``), path of a weight file, or a loaded prior. Of pogmdm alone, as are
        all parameters up to ``store``.
    preset
        "default", "fast" or "paper", a settings file, or settings.
    chains
        How many chains to average; from two on, the result has a variance.
    seed
        Of the first chain.
    device
        "cpu", "cuda" or "mps"; by default where the measurement is.
    maps
        Known coils, or their file, to start from or, with ``update_coils=False``, to keep.
    changes
        Settings to change on the way, as an earlier run's record has them.
    stop_after
        Leave every chain after this many iterations.
    store
        File from which an interrupted ensemble goes on.
    progress
        Called with the steps done and the steps in all.
    cancelled
        Asked before every step. A classical method then gives what it has; of pogmdm, finished chains are kept.
    pool
        Where the chains of pogmdm run side by side, see `napari_pogmdm.runtime.pool.connect.open_pool`; else here.
    **settings
        Single settings of the method, such as ``prior_weight=0.8`` or ``steps=40``.
    """
    _check_type(measurement)
    if device is not None:
        measurement = measurement.to(device)
    if method != Method.POGMDM:
        own = {"model": model, "preset": preset, "chains": chains, "maps": maps, "store": store}
        for name, value in own.items():
            if value is not None:
                raise InputError(f"{name}: is for pogmdm, not for {method}; leave it out.")
        return run_classical(measurement, method, settings_of(method, settings), progress=progress, cancelled=cancelled)
    request = RunRequest(
        measurement,
        load_prior(DEFAULT_MODEL if model is None else model) if isinstance(model, str | Path | None) else model,
        sampler_settings(preset, **settings),
        1 if chains is None else chains,
        seed,
        maps=load_coil_maps(Path(maps)) if isinstance(maps, (str, Path)) else maps,
        changes=tuple(changes),
        stop_after=stop_after,
    )
    return sample(request, store=store, progress=progress, cancelled=cancelled, pool=pool)


def sampler_settings(preset: str | Path | SamplerSettings | None = None, **values: Any) -> SamplerSettings:
    """Find settings by name, in a file, or take them as they are; then set single values."""
    if preset is None or (isinstance(preset, str) and not preset.endswith(".json")):
        found = preset_named(preset or DEFAULT_PRESET)
    elif isinstance(preset, (str, Path)):
        found = read_settings(Path(preset))
    elif isinstance(preset, SamplerSettings):
        found = preset
    else:
        raise InputError(f"preset: a {type(preset).__name__} is neither a name, a settings file nor settings.")
    return SamplerSettings.from_dict(found.to_dict() | values) if values else found


def settings_of(method: str, values: dict[str, Any] | None = None) -> ClassicalSettings | None:
    """Make a classical method's settings from plain data, or its defaults; ``None`` for a method that has none."""
    if method not in _CLASSICAL:
        raise InputError(f"method: unknown {method!r}; choose from {', '.join(Method)}.")
    kind = _CLASSICAL[method][0]
    if kind is None:
        if values:
            raise InputError(f"settings: {method} has no {next(iter(values))!r}; it has none at all.")
        return None
    return kind.from_dict(values or {})


def make_stepper(measurement: Measurement, method: str, settings: ClassicalSettings | None = None) -> Stepper[Any]:
    """Bind a classical method to a measurement, ready to be stepped."""
    used = settings or settings_of(method)
    make = _CLASSICAL[method][1]
    return make(measurement) if used is None else make(measurement, used)


@fixed_blocks()
def run_classical(
    measurement: Measurement,
    method: str,
    settings: ClassicalSettings | None = None,
    *,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Reconstruction:
    """Run a classical method to its end, or until ``cancelled()`` returns true.

    Parameters
    ----------
    measurement
        To reconstruct from.
    method
        A classical one of `Method`.
    settings
        Of the method; its usual ones if ``None``.
    progress
        Called with the steps done and the steps in all.
    cancelled
        Asked before every step.
    """
    begun = time.perf_counter()
    stepper = make_stepper(measurement, method, settings)
    state, steps = run(stepper, progress, cancelled)
    estimate = stepper.estimate(state)
    used = getattr(stepper, "settings", None)
    record = record_run(
        measurement,
        method,
        {} if used is None else used.to_dict(),
        steps,
        stopped=steps < stepper.steps,
        seconds=time.perf_counter() - begun,
    )
    magnitude = estimate.magnitude.cpu().numpy()
    noise = _found_noise(measurement, estimate) if measurement.noise_floor and np.isfinite(magnitude).all() else None
    image, coils = estimate.complex_image, estimate.coils
    if coils is None:  # a result has both, so that it can be worked on elsewhere
        coils = starting_coils(measurement)
        image = torch.polar(estimate.magnitude, (measurement.first_images * coils.conj()).sum(dim=0).angle())
    return finish(measurement, magnitude, record, noise=noise, image=image, coils=coils)


def _found_noise(measurement: Measurement, estimate: Estimate) -> float | None:
    """Noise that an estimate leaves in the data; ``None`` where the method has no coils, so its image has its noise."""
    if estimate.coils is None:
        return None
    residual = measurement.encoding.whitened(DataTerm(measurement).residual(estimate.image, estimate.coils))
    return float(residual_noise(residual[None], estimate.magnitude[None], measurement.noisy_acceleration)[0])


def _check_type(measurement: object) -> None:
    if not isinstance(measurement, Measurement):
        found = (
            f"{type(measurement).__name__} of shape {tuple(measurement.shape)}"
            if isinstance(measurement, (np.ndarray, torch.Tensor))
            else type(measurement).__name__
        )
        raise InputError(f"reconstruct: takes what measure(kspace, mask) gives, not a {found}.")
