"""A trial: a short run, and how well it predicts the samples that were left out of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.physics.coil_kernels import seen
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.noise_floor import outer_noise
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampler.state import Diverged

_REACHED = 0.4  # brightness of the border, seen with one set, that asks for a second: from 0.59 in wrapped scans
_WRAPPED = 0.5  # the same, seen with two sets: from 0.65 in wrapped development scans, up to 0.45 in inconsistent ones
_SECOND = 0.1  # the same of the second image: 0.18 to 0.55 in wrapped development scans, up to 0.03 in tight ones
_EDGE = 3  # pixels from the border that count as border
_BRIGHT_SHARE, _BORDER_SHARE = 0.98, 0.9  # quantiles: a brightness that single pixels do not decide
# Radii of k-space, of the way from its middle to its border, between which residuals are compared. The very middle is
# left out: signal is so strong there that the shortness of a trial shows.
_NEAR, _FAR = (0.15, 0.3), 0.75
_MISSED = 0.03  # of the signal: motion leaves 5 to 9 %
_FEWEST = 200  # samples whose root mean square is known to 4 %
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
    border
        Brightness of the image along its border, on that axis where it is larger, against that of the object.
    second_border
        With several map sets: the same of all images but the first.
    colour
        Residual of the fitted samples near the middle of k-space against what may be there: the residual far out, which
        is noise, and 3 % of the signal, which a short trial misses. 0 where there are too few samples to tell.
    """

    error: float
    residual: float
    noise: float
    border: float = 0.0
    second_border: float = 0.0
    colour: float = 0.0

    @property
    def relative_error(self) -> float:
        """Error in units of the noise that this trial found: coils that vary too much fit part of the noise."""
        return self.error / max(self.noise, _DARKEST)

    @property
    def reaches_border(self) -> bool:
        """Whether the object reaches the border of the field of view, so that it may wrap."""
        return self.border >= _REACHED

    @property
    def wraps(self) -> bool:
        """Whether the field of view wraps: at its border, a second image is bright that has maps of its own.

        Where the object merely reaches the border, the second image stays empty there.
        """
        return self.border >= _WRAPPED and self.second_border >= _SECOND


def run_trial(
    held: Measurement,
    prior: ScorePrior,
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
        First coils, (coils, rows, columns), with an axis for the sets before them if there are several.
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
        rms(missed[left]),
        rms(missed[fitted]),
        noise,
        border_brightness(images[0]),
        0.0 if one else border_brightness(images[0], later=True),
        _colour(missed, fitted, held),
    )


def _colour(missed: Tensor, fitted: Tensor, held: Measurement) -> float:
    # Along a trajectory, how densely the middle is sampled colours the residual of clean scans, too (1.2 to 1.4).
    if not isinstance(held.sampling, Mask):
        return 0.0
    radius = torch.from_numpy(held.sampling.radius).to(missed.device)
    near, far = fitted & (radius > _NEAR[0]) & (radius <= _NEAR[1]), fitted & (radius > _FAR)
    if min(int(near.sum()), int(far.sum())) < _FEWEST:
        return 0.0
    allowed = math.hypot(rms(missed[far]), _MISSED * rms(held.kspace[near]))
    return rms(missed[near]) / max(allowed, _DARKEST)


def rms(samples: Tensor) -> float:
    """Root mean square of a real component; 0 of nothing."""
    return math.sqrt(float(samples.abs().square().mean()) / 2) if samples.numel() else 0.0


def border_brightness(images: Tensor, *, later: bool = False) -> float:
    """Brightest tenth of the border of images (sets, rows, columns), against the brightest fiftieth of the whole.

    Parameters
    ----------
    images
        Of all map sets.
    later
        Take the border of all images but the first.
    """
    whole = torch.linalg.vector_norm(images, dim=0).real
    magnitude = torch.linalg.vector_norm(images[1:], dim=0).real if later else whole
    sides = [
        torch.cat((magnitude.narrow(axis, 0, _EDGE), magnitude.narrow(axis, -_EDGE, _EDGE)), axis).mean(dim=axis)
        for axis in (0, 1)
    ]
    bright = whole.flatten().kthvalue(max(1, int(_BRIGHT_SHARE * whole.numel()))).values
    return max(float(side.quantile(_BORDER_SHARE)) for side in sides) / max(float(bright), _DARKEST)
