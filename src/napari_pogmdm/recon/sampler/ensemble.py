"""Several chains of the same run, summed up as they finish: mean and variance of |x| RSS(s)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm import errors
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import atomic_path
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.recon.coils.given import CoilMaps
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.sampler.changes import Change, changed, follow
from napari_pogmdm.recon.sampler.sampler import Sampler
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.stepper import Cancelled, Progress
from napari_pogmdm.runtime.memory import free_memory

_SHARE = 0.5
_ARRAYS_PER_COIL = 5
_ARRAYS_PER_IMAGE = 16


Image = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moments:
    """Running mean and sum of squared deviations (Welford); no sample is kept.

    Attributes
    ----------
    count
        Chains so far.
    mean, deviations
        (rows, columns) float64.
    noise
        Mean over chains of the noise found in the data.
    """

    count: int
    mean: Image
    deviations: Image
    noise: float = 0.0

    @classmethod
    def empty(cls, shape: tuple[int, int]) -> Moments:
        """Moments of no chains."""
        return cls(0, np.zeros(shape), np.zeros(shape))

    def add(self, image: NDArray[np.floating], noise: float = 0.0) -> Moments:
        """Return the moments with one more chain."""
        count = self.count + 1
        away = image - self.mean
        mean = self.mean + away / count
        average = self.noise + (noise - self.noise) / count
        return Moments(count, mean, self.deviations + away * (image - mean), average)

    @property
    def variance(self) -> Image:
        """Unbiased variance over chains; zero while there are fewer than two."""
        return self.deviations / max(self.count - 1, 1)


@dataclass(frozen=True, eq=False)
class EnsembleResult:
    """Moments of all finished chains, and the coils of the first of them (``None`` if there is none)."""

    moments: Moments
    coils: Tensor | None
    stopped: bool


def run_ensemble(
    measurement: Measurement,
    prior: Prior,
    settings: SamplerSettings,
    chains: int,
    *,
    seed: int = 0,
    changes: Sequence[Change] = (),
    maps: CoilMaps | None = None,
    stop_after: int | None = None,
    store: Path | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> EnsembleResult:
    """Run ``chains`` chains with the seeds ``seed``, ``seed + 1``, ...

    Parameters
    ----------
    changes
        Settings to change on the way; chains then run one by one.
    maps
        Coils to start from, instead of the start that the settings name.
    stop_after
        Leave every chain after this many iterations, as a run that was stopped was left.
    store
        File that holds the moments after each batch; a run that finds its own goes on after the chains it counts.
    cancelled
        Asked before every iteration and inside long ones; chains in flight are then dropped, finished ones kept.
    """
    if not 1 <= chains <= 10_000:
        raise InputError(f"chains: {chains} is not a number from 1 to 10000.")
    if not 0 <= seed < 2**62:
        raise InputError(f"seed: {seed} is not a whole number from 0 to 2^62.")
    name = _fingerprint(measurement, prior, settings, seed, changes, maps, stop_after)
    moments, coils = _load(store, name, measurement)
    starting = None if maps is None else maps.on(measurement)
    together = 1 if changes else chains_that_fit(measurement)
    while moments.count < chains:
        seeds = range(seed + moments.count, seed + min(chains, moments.count + together))
        before = changed(settings, [change for change in changes if change.chain < moments.count])
        try:
            _stop_if(cancelled)
            sampler = Sampler(measurement, prior, before, tuple(seeds), starting, cancelled=cancelled)
            first = state = sampler.start()
            starting = first.coils[0]
            for sampler, state in islice(follow(sampler, first, moments.count, changes), stop_after):  # noqa: B020
                if progress is not None:
                    done = moments.count * sampler.steps + state.iteration * len(seeds)
                    progress(done, chains * sampler.steps)
                if state.iteration < sampler.steps:
                    _stop_if(cancelled)
        except errors.Cancelled:
            return EnsembleResult(moments, coils, stopped=True)
        if coils is None:
            coils = state.coils[0]
        levels = sampler.found_noise(state)
        for chain, level in enumerate(levels):
            magnitude = sampler.estimate(state, chain).magnitude.cpu().numpy().astype(np.float64)
            moments = moments.add(magnitude, float(level))
        _save(store, name, moments, coils)
    return EnsembleResult(moments, coils, stopped=stop_after is not None)


def _stop_if(cancelled: Cancelled | None) -> None:
    if cancelled is not None and cancelled():
        raise errors.Cancelled


def _fingerprint(
    measurement: Measurement,
    prior: Prior,
    settings: SamplerSettings,
    seed: int,
    changes: Sequence[Change],
    maps: CoilMaps | None,
    stop_after: int | None,
) -> str:
    """Name everything that the chains depend on."""
    facts = [settings.to_dict(), seed, parameter_hash(prior), [change.to_dict() for change in changes]]
    facts += [None if maps is None else maps.sha256, stop_after]
    digest = hashlib.sha256(json.dumps(facts).encode())
    digest.update(torch.view_as_real(measurement.kspace).cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def parameter_hash(prior: Prior) -> str:
    """Name a prior by its numbers, whatever file they came from."""
    digest = hashlib.sha256(json.dumps(prior.configuration.to_dict(), sort_keys=True).encode())
    for name, values in sorted(prior.parameters.items()):
        digest.update(name.encode() + values.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _save(store: Path | None, name: str, moments: Moments, coils: Tensor) -> None:
    if store is None:
        return
    with atomic_path(store) as temporary, temporary.open("wb") as stream:
        np.savez(
            stream,
            name=name,
            count=moments.count,
            mean=moments.mean,
            deviations=moments.deviations,
            noise=moments.noise,
            coils=coils.cpu().numpy(),
        )


def _load(store: Path | None, name: str, measurement: Measurement) -> tuple[Moments, Tensor | None]:
    if store is None or not store.exists():
        return Moments.empty(measurement.shape), None
    try:
        with np.load(store, allow_pickle=False) as saved:
            if str(saved["name"]) != name:
                raise InputError(f"{store}: belongs to another run; remove it or name another file.")
            moments = Moments(int(saved["count"]), saved["mean"], saved["deviations"], float(saved["noise"]))
            return moments, torch.from_numpy(saved["coils"]).to(measurement.kspace.device)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{store}: is not a readable ensemble file; remove it to start again.") from error


def chains_that_fit(measurement: Measurement) -> int:
    """Chains to run side by side: one on a CPU, where more compete for the cache; on a GPU, what half of it holds."""
    device = measurement.kspace.device
    if device.type == "cpu":
        return 1
    coils, rows, columns = measurement.kspace.shape
    one = rows * columns * 8 * (_ARRAYS_PER_COIL * coils + _ARRAYS_PER_IMAGE)
    return max(1, min(64, int(_SHARE * free_memory(device)) // one))
