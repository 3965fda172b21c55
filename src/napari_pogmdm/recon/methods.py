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
from napari_pogmdm.recon.classical.espirit_cg import EspiritCg, EspiritCgSettings
from napari_pogmdm.recon.classical.joint_tv import JointTotalVariation, JointTvSettings
from napari_pogmdm.recon.classical.l1_wavelet import L1Wavelet, L1WaveletSettings
from napari_pogmdm.recon.classical.tv import TotalVariation, TvSettings
from napari_pogmdm.recon.classical.zero_filled import ZeroFilled
from napari_pogmdm.recon.coils.given import CoilMaps, load_coil_maps
from napari_pogmdm.recon.defaults import DEFAULT_MODEL, DEFAULT_PRESET
from napari_pogmdm.recon.learned.by_name import RIVAL_SETTINGS, run_rival
from napari_pogmdm.recon.learned.run_stepper import run_stepper
from napari_pogmdm.recon.learned.score_mri import ScoreMriSettings
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.method import RIVALS, Method
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.changes import Change
from napari_pogmdm.recon.sampler.preset_file import read_settings
from napari_pogmdm.recon.sampler.presets import preset as preset_named
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.sample import sample
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.stepper import CancelCheck, Progress, Stepper
from napari_pogmdm.runtime.inner_products import check_inner_products
from napari_pogmdm.runtime.pool.pool import Pool
from napari_pogmdm.runtime.threads import fixed_blocks

OwnSettings = CgSenseSettings | TvSettings | JointTvSettings | EspiritCgSettings | L1WaveletSettings | ScoreMriSettings

_CLASSICAL: dict[str, tuple[type[OwnSettings] | None, Callable[..., Stepper[Any]]]] = {
    Method.ZERO_FILLED: (None, ZeroFilled),
    Method.CG_SENSE: (CgSenseSettings, CgSense),
    Method.TV: (TvSettings, TotalVariation),
    Method.JOINT_TV: (JointTvSettings, JointTotalVariation),
    Method.ESPIRIT_CG: (EspiritCgSettings, EspiritCg),
    Method.L1_WAVELET: (L1WaveletSettings, L1Wavelet),
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
        One of `Method`: "pogmdm", the learned prior, one of the classical methods, or one of the learned rivals.
    model
        Name of a shipped prior (``list_models()``), path of a weight file, or a loaded prior; for a rival, the path of
        a checkpoint instead of the weights that ship. All parameters from here to ``store`` are only for pogmdm.
    preset
        "default", "fast", "posterior", "paper" or "paper-tuned", a settings file, or settings.
    chains
        How many chains to average; with two or more, the result has a variance.
    seed
        Seed of the first chain.
    device
        "cpu", "cuda" or "mps"; by default where the measurement is.
    maps
        Known coils, or their file, to start from or, with ``update_coils=False``, to keep.
    changes
        Settings to change during the run, as in the record of an earlier run.
    stop_after
        Leave every chain after this many iterations.
    store
        File from which an interrupted ensemble continues.
    progress
        Called with the steps done and the number of all steps.
    cancelled
        Called before every step; returns whether to stop. A classical method then gives what it has; pogmdm keeps
        finished chains.
    pool
        Where the chains of pogmdm run side by side, see `napari_pogmdm.runtime.pool.connect.open_pool`; by default in
        this process.
    **settings
        Single settings of the method, such as ``prior_weight=0.8`` or ``steps=40``.
    """
    _check_type(measurement)
    if device is not None:
        measurement = measurement.to(device)
    if method in RIVALS:
        _refuse(method, preset=preset, chains=chains, maps=maps, store=store)
        own = settings_of(method, settings)
        return run_rival(measurement, method, model or "", own, seed=seed, progress=progress, cancelled=cancelled)
    if method != Method.POGMDM:
        _refuse(method, model=model, preset=preset, chains=chains, maps=maps, store=store)
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


def settings_of(method: str, values: dict[str, Any] | None = None) -> OwnSettings | None:
    """Make a method's own settings from plain data, or its defaults; ``None`` for a method that has none."""
    if method not in _CLASSICAL and method not in RIVALS:
        raise InputError(f"method: unknown {method!r}; choose from {', '.join(Method)}.")
    kind = RIVAL_SETTINGS[Method(method)] if method in RIVALS else _CLASSICAL[method][0]
    if kind is None:
        if values:
            raise InputError(f"settings: {method} has no {next(iter(values))!r}; it has no settings.")
        return None
    return kind.from_dict(values or {})


def make_stepper(measurement: Measurement, method: str, settings: OwnSettings | None = None) -> Stepper[Any]:
    """Bind a classical method to a measurement, ready to be stepped."""
    check_inner_products()
    used = settings or settings_of(method)
    make = _CLASSICAL[method][1]
    return make(measurement) if used is None else make(measurement, used)


@fixed_blocks()
def run_classical(
    measurement: Measurement,
    method: str,
    settings: OwnSettings | None = None,
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
        Called with the steps done and the number of all steps.
    cancelled
        Asked before every step.
    """
    begun = time.perf_counter()
    stepper = make_stepper(measurement, method, settings)
    return run_stepper(measurement, method, stepper, progress=progress, cancelled=cancelled, begun=begun)


def _refuse(method: str, **given: object) -> None:
    """Refuse what is for other methods."""
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name}: is for pogmdm, not for {method}; leave it out.")


def _check_type(measurement: object) -> None:
    if not isinstance(measurement, Measurement):
        found = (
            f"{type(measurement).__name__} of shape {tuple(measurement.shape)}"
            if isinstance(measurement, (np.ndarray, torch.Tensor))
            else type(measurement).__name__
        )
        raise InputError(f"reconstruct: takes what measure(kspace, mask) gives, not a {found}.")
