"""All sampling algorithms by name: a new one is a new file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torch import Tensor

from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.sampler.algorithms.base import Sampler
from napari_pogmdm.recon.sampler.algorithms.posterior import Posterior
from napari_pogmdm.recon.sampler.algorithms.predictor_corrector import PredictorCorrector
from napari_pogmdm.recon.sampler.algorithms.splitting import Splitting
from napari_pogmdm.recon.sampler.settings import Algorithm, SamplerSettings
from napari_pogmdm.runtime.threads import fixed_blocks

ALGORITHMS: dict[str, type[Sampler]] = {
    Algorithm.PREDICTOR_CORRECTOR: PredictorCorrector,
    Algorithm.SPLITTING: Splitting,
    Algorithm.POSTERIOR: Posterior,
}


@fixed_blocks()
def make_sampler(
    measurement: Measurement,
    prior: ScorePrior,
    settings: SamplerSettings,
    seeds: Sequence[int] = (0,),
    coils: Tensor | None = None,
    *,
    cancelled: Callable[[], bool] | None = None,
) -> Sampler:
    """Bind the algorithm that the settings name; for the parameters see `Sampler`."""
    return ALGORITHMS[settings.algorithm](measurement, prior, settings, seeds, coils, cancelled=cancelled)


def noise_schedule(settings: SamplerSettings) -> tuple[float, ...]:
    """Noise standard deviations in the order of a run, from the starting level down to the last."""
    return ALGORITHMS[settings.algorithm].schedule(settings)


def draws_noise(settings: SamplerSettings) -> bool:
    """Whether runs draw noise, so that chains with other seeds differ."""
    return ALGORITHMS[settings.algorithm].draws(settings)
