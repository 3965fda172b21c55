"""Several chains of the same run, summed up as they finish: mean and variance of |x| RSS(s)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.data.writer import atomic_path
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.memory import chains_that_fit
from napari_pogmdm.recon.sampler import Sampler
from napari_pogmdm.recon.settings import SamplerSettings
from napari_pogmdm.recon.stepper import Cancelled, Progress

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
    """Moments of all finished chains, and the coils of the first of them (``None`` if it came from disk)."""

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
    store: Path | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> EnsembleResult:
    """Run ``chains`` chains with the seeds ``seed``, ``seed + 1``, ...

    Parameters
    ----------
    store
        File that holds the moments after each batch; a run that finds its own goes on after the chains it counts.
    cancelled
        Asked before every iteration; chains in flight are then dropped, finished ones kept.
    """
    if not 1 <= chains <= 10_000:
        raise InputError(f"chains: {chains} is not a number from 1 to 10000.")
    if not 0 <= seed < 2**62:
        raise InputError(f"seed: {seed} is not a whole number from 0 to 2^62.")
    name = _fingerprint(measurement, prior, settings, seed)
    moments = _load(store, name, measurement.shape)
    first_coils: Tensor | None = None
    together = chains_that_fit(measurement)
    while moments.count < chains:
        seeds = range(seed + moments.count, seed + min(chains, moments.count + together))
        sampler = Sampler(measurement, prior, settings, tuple(seeds))
        state = sampler.start()
        for _ in range(sampler.steps):
            if cancelled is not None and cancelled():
                return EnsembleResult(moments, first_coils, stopped=True)
            state = sampler.step(state)
            if progress is not None:
                done = moments.count * sampler.steps + state.iteration * len(seeds)
                progress(done, chains * sampler.steps)
        if moments.count == 0:
            first_coils = state.coils[0]
        levels = sampler.found_noise(state)
        for chain, level in enumerate(levels):
            magnitude = sampler.estimate(state, chain).magnitude.cpu().numpy().astype(np.float64)
            moments = moments.add(magnitude, float(level))
        _save(store, name, moments)
    return EnsembleResult(moments, first_coils, stopped=False)


def _fingerprint(measurement: Measurement, prior: Prior, settings: SamplerSettings, seed: int) -> str:
    """Name everything that the chains depend on."""
    digest = hashlib.sha256(json.dumps([settings.to_dict(), seed, parameter_hash(prior)]).encode())
    digest.update(torch.view_as_real(measurement.kspace).cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def parameter_hash(prior: Prior) -> str:
    """Name a prior by its numbers, whatever file they came from."""
    digest = hashlib.sha256(json.dumps(prior.configuration.to_dict(), sort_keys=True).encode())
    for name, values in sorted(prior.parameters.items()):
        digest.update(name.encode() + values.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _save(store: Path | None, name: str, moments: Moments) -> None:
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
        )


def _load(store: Path | None, name: str, shape: tuple[int, int]) -> Moments:
    if store is None or not store.exists():
        return Moments.empty(shape)
    try:
        with np.load(store, allow_pickle=False) as saved:
            if str(saved["name"]) != name:
                raise InputError(f"{store}: belongs to another run; remove it or name another file.")
            return Moments(int(saved["count"]), saved["mean"], saved["deviations"], float(saved["noise"]))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{store}: is not a readable ensemble file; remove it to start again.") from error
