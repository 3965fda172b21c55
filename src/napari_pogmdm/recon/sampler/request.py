"""All that a run of the sampler needs to know, in one bundle."""

from __future__ import annotations

from dataclasses import dataclass

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.recon.coils.given import CoilMaps
from napari_pogmdm.recon.defaults import LARGEST_SEED, MOST_CHAINS
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.sampler.changes import Change
from napari_pogmdm.recon.sampler.choices.choices import Choices
from napari_pogmdm.recon.sampler.settings import SamplerSettings


@dataclass(frozen=True, eq=False)
class RunRequest:
    """A run that is asked for.

    Attributes
    ----------
    measurement
        The data.
    prior
        The learned prior.
    settings
        As they are when the first chain begins.
    chains
        How many to run, with the seeds ``seed``, ``seed + 1``, ...
    seed
        Of the first chain.
    reference
        The fully sampled image, cropped, where there is one to compare with.
    maps
        Known coils to start from, instead of the start that the settings name.
    changes
        Settings to change on the way, as an earlier run's record has them.
    stop_after
        Leave every chain after this many iterations, as a run that was stopped was left; ``None`` runs to the end.
    choices
        What the data chose, in a request that is settled.
    """

    measurement: Measurement
    prior: ScorePrior
    settings: SamplerSettings
    chains: int = 1
    seed: int = 0
    reference: FloatImage | None = None
    maps: CoilMaps | None = None
    changes: tuple[Change, ...] = ()
    stop_after: int | None = None
    choices: Choices | None = None

    def __post_init__(self) -> None:
        if isinstance(self.chains, bool) or not isinstance(self.chains, int) or not 1 <= self.chains <= MOST_CHAINS:
            raise InputError(f"chains: {self.chains!r} is not a whole number from 1 to {MOST_CHAINS}.")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or not 0 <= self.seed <= LARGEST_SEED:
            raise InputError(f"seed: {self.seed!r} is not a whole number from 0 to 2^62.")
