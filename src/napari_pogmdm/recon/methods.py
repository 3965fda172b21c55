"""Every method by one name, so that tables and commands can list them side by side.

A name is one of the classical methods, one of the peers, or ``pogmdm`` with, optionally, a model and a preset behind
colons: ``pogmdm``, ``pogmdm:flf``, ``pogmdm:flf-tc:fast``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.presets import preset
from napari_pogmdm.recon.reconstruct import METHODS, Reconstruction, reconstruct
from napari_pogmdm.recon.sample import sample
from napari_pogmdm.recon.settings import SamplerSettings
from napari_pogmdm.recon.stepper import Progress

DEFAULT_MODEL = "flf-tc"
DEFAULT_PRESET = "default"


@dataclass(frozen=True)
class SamplerMethod:
    """A sampler run, spelled out."""

    model: str = DEFAULT_MODEL
    settings: SamplerSettings | None = None
    chains: int = 1
    seed: int = 0


def parse_sampler(name: str, chains: int = 1, seed: int = 0) -> SamplerMethod | None:
    """Read ``pogmdm[:model[:preset]]``; ``None`` for the name of anything else."""
    family, *rest = name.split(":")
    if family != "pogmdm":
        return None
    if len(rest) > 2:
        raise InputError(f"method: {name!r} has too many parts; write pogmdm:model:preset.")
    model, chosen = (*rest, *("", "")[len(rest) :])
    return SamplerMethod(model or DEFAULT_MODEL, preset(chosen or DEFAULT_PRESET), chains, seed)


def single_coil(method: SamplerMethod) -> SamplerMethod:
    """Turn a method to real images and one coil that is 1 everywhere."""
    settings = method.settings or preset(DEFAULT_PRESET)
    return replace(method, settings=replace(settings, real_image=True, update_coils=False))


def check_method(name: str) -> None:
    """Refuse a name that nothing answers to, before any work is done."""
    if parse_sampler(name) is None and name not in METHODS:
        raise InputError(f"method: unknown {name!r}; choose from {', '.join(METHODS)} or pogmdm.")


def run_method(
    name: str, measurement: Measurement, *, chains: int = 1, seed: int = 0, progress: Progress | None = None
) -> Reconstruction:
    """Run a classical or a sampled method by name."""
    sampler = parse_sampler(name, chains, seed)
    if sampler is None:
        check_method(name)
        return reconstruct(measurement, name, progress=progress)
    return run_sampler(sampler, measurement, progress)


def run_sampler(method: SamplerMethod, measurement: Measurement, progress: Progress | None = None) -> Reconstruction:
    """Run a sampler that is spelled out."""
    settings = method.settings or preset(DEFAULT_PRESET)
    prior = load_prior(method.model)
    return sample(measurement, prior, settings, chains=method.chains, seed=method.seed, progress=progress)
