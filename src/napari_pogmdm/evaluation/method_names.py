"""Names of methods in tables and commands, such as ``pogmdm:flf-tc:fast:16``, read and run.

A name is one of the classical methods, or ``pogmdm`` with, optionally, a model, a preset (or a file of settings) and a
number of chains after colons: ``pogmdm``, ``pogmdm:flf``, ``pogmdm:flf-tc:fast``, ``pogmdm:::16``. A learned rival may
have a checkpoint after a colon: ``varnet``, ``varnet:knee_leaderboard_state_dict.pt``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.reading import is_file, shown
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.method import RIVALS, Method
from napari_pogmdm.recon.methods import reconstruct, sampler_settings
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.settings import Algorithm, SamplerSettings
from napari_pogmdm.recon.stepper import CancelCheck, Progress
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.weights import bundled_rivals
from napari_pogmdm.runtime.pool.pool import Pool

# One coil leaves far more open than many, so that the walk has to be slower; chosen on validation slices.
SINGLE_COIL = SamplerSettings(
    algorithm=Algorithm.SPLITTING,
    iterations=160,
    largest_noise=0.1,
    smallest_noise=0.007,
    prior_weight=0.6,
    injected_noise=0.1,
    turn_images=True,
    real_image=True,
    update_coils=False,
)


@dataclass(frozen=True)
class SamplerMethod:
    """A sampler run, spelled out.

    Attributes
    ----------
    settings
        Of the sampler.
    model
        What `load_prior` takes.
    chains
        Whose mean is the image.
    seed
        Of the first chain.
    """

    settings: SamplerSettings
    model: str = DEFAULT_MODEL.value
    chains: int = 1
    seed: int = 0

    def run(
        self,
        measurement: Measurement,
        progress: Progress | None = None,
        cancelled: CancelCheck | None = None,
        *,
        prior: ScorePrior | None = None,
        pool: Pool | None = None,
    ) -> Reconstruction:
        """Run it on a measurement.

        Parameters
        ----------
        measurement
            What it sees.
        progress
            Called with the steps done and the steps in all.
        cancelled
            Asked between steps.
        prior
            The model, where it is loaded already.
        pool
            Where chains run, each a job; here if ``None``.
        """
        return reconstruct(
            measurement,
            model=self.model if prior is None else prior,
            pool=pool,
            preset=self.settings,
            chains=self.chains,
            seed=self.seed,
            progress=progress,
            cancelled=cancelled,
        )


def parse_sampler(name: str, chains: int = 1, seed: int = 0, *, single_coil: bool = False) -> SamplerMethod | None:
    """Read ``pogmdm[:model[:preset[:chains]]]``; ``None`` for the name of anything else.

    Parameters
    ----------
    name
        Of a method.
    chains
        Where the name does not say how many.
    seed
        Of the first chain.
    single_coil
        Images are real, the one coil is 1 everywhere, and settings of their own are the usual ones.
    """
    family, *rest = name.split(":")
    if family != Method.POGMDM:
        return None
    if len(rest) > 3:
        raise InputError(f"method: {name!r} has too many parts; write pogmdm:model:preset:chains.")
    model, chosen, count = (*rest, *("", "", "")[len(rest) :])
    if count and not count.isdecimal():
        raise InputError(f"method: {count!r} in {name!r} is not a number of chains; write pogmdm:model:preset:chains.")
    settings = SINGLE_COIL if single_coil and not chosen else sampler_settings(chosen or None)
    if single_coil:
        settings = replace(settings, real_image=True, update_coils=False)
    return SamplerMethod(settings, model or DEFAULT_MODEL.value, int(count or chains), seed)


def parse_rival(name: str) -> tuple[Method, str] | None:
    """Read ``rival[:checkpoint]``, empty for the weights that ship; ``None`` for the name of anything else."""
    family, _, checkpoint = name.partition(":")
    return (Method(family), checkpoint) if family in RIVALS else None


def files_in(names: Iterable[str]) -> Iterator[str]:
    """Give the parts of methods' names that may be files: models and settings."""
    for name in names:
        yield from name.split(":")[1:3]


def check_method(name: str) -> None:
    """Refuse a name that nothing answers to, before any work is done."""
    rival = parse_rival(name)
    if rival is not None:
        method, checkpoint = rival
        if checkpoint and not is_file(checkpoint) and method is not Method.SCORE_MRI:
            raise InputError(f"method: there is no checkpoint {shown(checkpoint)!r} for {method}; check the spelling.")
        if not checkpoint and method in {*Rival} and Rival(method) not in bundled_rivals():
            raise InputError(f"method: no weights of {method} ship; write {method}:checkpoint.")
        return
    if parse_sampler(name) is None and name not in {*Method}:
        raise InputError(f"method: unknown {name!r}; choose from {', '.join(Method)}.")


def run_method(
    name: str,
    measurement: Measurement,
    *,
    chains: int = 1,
    seed: int = 0,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Reconstruction:
    """Run a method by its name, to its end or until ``cancelled()`` returns true.

    Parameters
    ----------
    name
        Of a classical method, of a rival, or ``pogmdm`` with its parts.
    measurement
        What it sees.
    chains
        Of a sampler whose name does not say how many.
    seed
        Of the first chain.
    progress
        Called with the steps done and the steps in all.
    cancelled
        Asked between steps.
    """
    sampler = parse_sampler(name, chains, seed)
    if sampler is not None:
        return sampler.run(measurement, progress, cancelled)
    check_method(name)
    rival = parse_rival(name)
    if rival is not None:
        method, checkpoint = rival
        return reconstruct(
            measurement, method, model=checkpoint or None, seed=seed, progress=progress, cancelled=cancelled
        )
    return reconstruct(measurement, name, progress=progress, cancelled=cancelled)
