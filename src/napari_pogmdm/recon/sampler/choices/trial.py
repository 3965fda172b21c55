"""A trial: a short run, and how well it predicts the samples that were left out of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.physics.coil_kernels import seen
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.noise_floor import outer_noise
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampler.state import Diverged

_WRAPPED = 0.5  # brightness of the border: 0.66 to 0.88 in wrapped development scans, up to 0.40 in all others
_GHOSTS = 0.02  # second image's share: up to 0.014 in wrapped development scans, from 0.021 on where shots disagree
_NEIGHBOURS = 9  # pixels a side of the patches in which the images' shares are compared
_OBJECT = 0.02  # of the largest energy of a patch: dimmer ones are background
_EDGE = 3  # pixels from the border that count as border
_BRIGHT_SHARE, _BORDER_SHARE = 0.98, 0.9  # quantiles: a brightness that single pixels do not decide
_DARKEST = 1e-12  # an image that is empty must not divide by zero


@dataclass(frozen=True)
class Verdict:
    """How a trial did.

    Attributes
    ----------
    error
        Root mean square of a real component of y - A(x, s) on the left-out samples, in units of the data; infinite for
        a run that diverged.
    residual
        The same on the samples that were fitted.
    noise
        Noise of the data as the run found it.
    second
        With several map sets: the later images' share of the energy, in the median over the object.
    border
        Brightness of the image along its border, on that axis where it is larger, against that of the object.
    """

    error: float
    residual: float
    noise: float
    second: float = 0.0
    border: float = 0.0

    @property
    def wraps(self) -> bool:
        """Whether a second image can come from a field of view that wraps.

        Then the object is as bright at the border as elsewhere, and has a second signal in some places only. Motion, or
        a phase that jumps between shots, makes faint ghosts of everything, which two map sets explain as well.
        """
        return self.border >= _WRAPPED and self.second <= _GHOSTS


def run_trial(
    held: Measurement,
    prior: Prior,
    settings: SamplerSettings,
    coils: Tensor,
    cancelled: Callable[[], bool] | None = None,
) -> Verdict:
    """Run on what `leave_out` left, and see how that predicts the rest.

    Parameters
    ----------
    held
        Data with samples left out.
    prior
        The learned prior.
    settings
        Of the trial.
    coils
        First coils, (coils, rows, columns).
    cancelled
        Asked in every iteration; saying yes raises `Cancelled`.
    """
    try:
        sampler = make_sampler(held, prior, settings, (0,), coils, cancelled=cancelled)
        state = sampler.start()
        while state.iteration < sampler.steps:
            if cancelled is not None and cancelled():
                raise Cancelled
            state = sampler.step(state)
    except Diverged:
        return Verdict(math.inf, math.inf, outer_noise(held))
    one = settings.sets == 1
    images, maps = (state.image[:, None], state.coils[:, None]) if one else (state.image, state.coils)
    missed = held.kspace - held.sampling.encoding(held.measured).forward(seen(images, maps)[0])
    fitted = held.fitted
    left = held.measured & ~fitted
    noise = float(sampler.found_noise(state)[0])
    return Verdict(
        rms(missed[left]), rms(missed[fitted]), noise, _second_share(images[0]), border_brightness(images[0])
    )


def rms(samples: Tensor) -> float:
    """Root mean square of a real component; 0 of nothing."""
    return math.sqrt(float(samples.abs().square().mean()) / 2) if samples.numel() else 0.0


def _second_share(images: Tensor) -> float:
    """Share of the energy that images after the first hold, in the median over the patches of the object."""
    sides = [min(_NEIGHBOURS, size) for size in images.shape[-2:]]
    local = avg_pool2d(images.abs().square()[:, None], sides, stride=_NEIGHBOURS // 2)[:, 0]
    whole = local.sum(dim=0)
    return float((1 - local[0] / whole)[whole > _OBJECT * whole.max()].median())


def border_brightness(images: Tensor) -> float:
    """Brightest tenth of the border of images (sets, rows, columns), against the brightest fiftieth of the whole."""
    magnitude = torch.linalg.vector_norm(images, dim=0).real
    sides = [
        torch.cat((magnitude.narrow(axis, 0, _EDGE), magnitude.narrow(axis, -_EDGE, _EDGE)), axis).mean(dim=axis)
        for axis in (0, 1)
    ]
    bright = magnitude.flatten().kthvalue(max(1, int(_BRIGHT_SHARE * magnitude.numel()))).values
    return max(float(side.quantile(_BORDER_SHARE)) for side in sides) / max(float(bright), _DARKEST)
