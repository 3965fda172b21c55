"""The rules of the choice: which trial wins, what is left unexplained, and how strongly coils are smoothed.

All limits were set on the development scans of ``docs/choices.md``, never on scans of a test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from napari_pogmdm.recon.coils.calibration import calibrates
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.left_out import line_axis
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.sampler.choices.trial import Verdict

# Shares of the left-out signal, not predicted, above which further starts are tried; coils that are found well leave
# 0.1 of a small head. Where the centre is wide, more must be left: the usual coils are good there as a rule.
_SOME, _MUCH = 0.1, 0.2
_UNEXPLAINED = 0.5  # the same, above which data and model are said not to fit; development scans leave up to 0.43
# Residual of the fitted samples over their noise, above which data and model are said not to fit. Heads and phantoms
# have up to 1.12 with lines, and up to 1.19 with points, where a trial has not come as far when it ends.
_MISFIT_LINES, _MISFIT_POINTS = 1.2, 1.4
_LITTLE_UNEXPLAINED = 0.1  # share of the left-out signal; from 0.13 on where half of the lines moved by two pixels
_COLOUR = 1.15  # residual near the middle against what may be there; clean scans have up to 1.11, motion from 1.17
SHOT_PHASE = 0.25  # radians between odd and even lines; consistent development scans have up to 0.07
_UNEXPLAINED_OF_LITTLE = 0.9  # the same where there is little signal; a noisy development scan leaves 0.70
_LITTLE = 3.0  # times the noise
_DRAW = 0.1  # share by which a contender must lower the error to win: differences below it do not go with image quality
_DRAW_CALIBRATED = 0.05  # the same for calibrated coils: where they gained that much, images lost 0.2 dB at most
# The same for smooth Newton coils, in units of the noise that each trial found: coils with few degrees of freedom that
# predict no worse fit less of the noise, and images gained 0.1 to 1.9 dB there; at 0.04 and below they lost up to 1 dB.
_DRAW_SMOOTH = 0.05
_DRAW_OF_TWO = 0.03  # the same between two starts of two sets: equal predictions do not tell which image is better
_DRAW_SMOOTHER = 0.05  # the same for smoother coils of two sets: below it, images gained 0.4 dB or lost 0.9
# The same for smoother coils of one set, as predicted or in units of the noise. Simulated coils predict 1 to 5 % better
# with ten times the smoothing, and images gain 0.2 to 0.9 dB with lines; the measured head predicts 4 to 7 % worse.
_DRAW_SMOOTHER_ONE = 0.01
_DRAW_WRAPPED = 0.25  # the same against two sets where the field of view wraps, which are right there as a rule
_HARDLY = 0.15  # share of the left-out signal: above it, images of two sets with a thin centre lost 2 dB or more
_FAINT = 2.0  # times the noise: less left-out signal cannot tell anything
USUAL_SIDE = 224  # pixels along the longer side, from which on the presets' coil smoothing is right as it was tuned
# Times the smoothing that suits the size of the image. Less than ten times hardly changes what one set predicts; two
# sets have twice as many coefficients, and lose more where they are too smooth.
_MORE_SMOOTHING, _MORE_SMOOTHING_OF_TWO = 10.0, 3.0
_LEAST_ENERGY = 1e-30  # must not divide by zero


class Contender(NamedTuple):
    """What is tried: so many sets of maps, a start of the first, and times the smoothing that the rule gives."""

    map_sets: int
    start: CoilStart
    smoothing: float = 1.0

    @property
    def name(self) -> str:
        """Say it shortly, for records."""
        sets = "" if self.map_sets == 1 else f", {self.map_sets} sets"
        return f"{self.start}{sets}" + ("" if self.smoothing == 1 else f", smoothing x {self.smoothing:g}")

    @property
    def smoother(self) -> Contender:
        """The same with coils that vary less."""
        more = _MORE_SMOOTHING if self.map_sets == 1 else _MORE_SMOOTHING_OF_TWO
        return self._replace(smoothing=more * self.smoothing)


Verdicts = Mapping[Contender, Verdict]


def winner(verdicts: Verdicts, preferred: Contender) -> Contender:
    """Find the contender with the smallest error, in units of the noise; the preferred one wins a draw.

    Two sets win only where the field of view wraps, or where the preferred one diverged: elsewhere they predict well
    what their image gets wrong (uniform ball, G8: 30 % less error, 5.6 dB less PSNR).
    """
    usual = verdicts[preferred]
    better = [
        one
        for one, verdict in verdicts.items()
        if (_better(one, preferred, verdicts) or _stiffer(one, preferred, verdict, usual))
        and (one.map_sets == 1 or verdict.wraps or math.isinf(usual.error))
    ]
    return min(better, key=lambda one: verdicts[one].relative_error, default=preferred)


def _better(one: Contender, preferred: Contender, verdicts: Verdicts) -> bool:
    """Whether the error is smaller by more than a draw, between starts of two sets in units of the noise."""
    found, usual, draw = verdicts[one], verdicts[preferred], _draw(one, preferred)
    if min(one.map_sets, preferred.map_sets) > 1 and one.smoothing == preferred.smoothing:
        return found.relative_error < (1 - draw) * usual.relative_error
    return found.error < (1 - draw) * usual.error


def _stiffer(one: Contender, preferred: Contender, verdict: Verdict, usual: Verdict) -> bool:
    """Whether coils that vary little predict no worse, and clearly better in units of the noise."""
    smoother = one.map_sets == 1 and one.smoothing > preferred.smoothing
    if not smoother and one.start != CoilStart.NEWTON_SMOOTH:
        return False
    draw = _DRAW_SMOOTHER_ONE if smoother else _DRAW_SMOOTH
    return verdict.error < usual.error and verdict.relative_error < (1 - draw) * usual.relative_error


def _draw(one: Contender, preferred: Contender) -> float:
    if preferred.map_sets > 1:
        if one.map_sets == 1:
            return _DRAW_WRAPPED
        if one.smoothing != preferred.smoothing:
            return _DRAW_SMOOTHER
        return 0.0 if preferred.start == CoilStart.LOW_PASS else _DRAW_OF_TWO
    if one.smoothing != preferred.smoothing:
        return _DRAW_SMOOTHER_ONE
    return _DRAW_CALIBRATED if one.start == CoilStart.CALIBRATED else _DRAW


def unexplained(verdicts: Verdicts, signal: float) -> float:
    """Share of the left-out signal, beyond noise, that the best contender does not predict.

    Parameters
    ----------
    verdicts
        Of all contenders.
    signal
        Root mean square of a real component of the left-out samples.
    """
    noise = min(verdict.noise for verdict in verdicts.values())
    error = min(verdict.error for verdict in verdicts.values())
    if signal < _FAINT * noise:
        return 0.0
    return math.sqrt(max(error**2 - noise**2, 0.0) / max(signal**2 - noise**2, _LEAST_ENERGY))


def fits(misfit: float, share: float, *, lines: bool) -> bool:
    """Whether a residual, in units of the noise, is small enough for data that fit the model.

    Where there is very little noise, a short trial ends above it, but predicts what was left out all the same.

    Parameters
    ----------
    misfit
        Of the best trial.
    share
        Of the left-out signal that is not predicted; 0 where that could not be told.
    lines
        Whether the mask is one of whole lines.
    """
    return 0 < share <= _LITTLE_UNEXPLAINED or misfit <= (_MISFIT_LINES if lines else _MISFIT_POINTS)


def white(colour: float) -> bool:
    """Whether a residual is hardly larger near the middle of k-space than far out, as noise is.

    What a wrong model leaves goes with the signal. The noise need not be known for that, so motion shows that the
    estimate of the noise has swallowed.
    """
    return colour <= _COLOUR


def explained(share: float, signal: float, noise: float) -> bool:
    """Whether the share of the signal that nobody predicts is small enough for data that fit the model."""
    return share <= (_UNEXPLAINED if signal > _LITTLE * noise else _UNEXPLAINED_OF_LITTLE)


def tells_two_sets_apart(measurement: Measurement, share: float) -> bool:
    """Whether lines settle the maps of two sets: by a centre to calibrate on, or by predicting what was left out.

    Parameters
    ----------
    measurement
        The data.
    share
        Of the left-out signal that is not predicted.
    """
    lines = line_axis(measurement.sampling.measured) is not None
    return not lines or calibrates(measurement) or share <= _HARDLY


def other_starts(measurement: Measurement, usual: CoilStart) -> tuple[CoilStart, ...]:
    """Coil starts to try beside the usual one: none where the centre is wide enough for that to be good."""
    if usual != CoilStart.NEWTON:
        return ()
    return (CoilStart.NEWTON_9, CoilStart.CALIBRATED) if calibrates(measurement) else (CoilStart.NEWTON_9,)


def other_starts_of_two(usual: CoilStart) -> tuple[CoilStart, ...]:
    """Coil starts to try beside the usual one where two map sets are taken; a wrapped centre is no good low-pass."""
    return {CoilStart.NEWTON: (CoilStart.NEWTON_9,), CoilStart.LOW_PASS: (CoilStart.NEWTON,)}.get(usual, ())


def last_resorts(measurement: Measurement, usual: CoilStart) -> tuple[tuple[float, CoilStart], ...]:
    """Coil starts that are tried only where all before leave too much unexplained, each with that share."""
    smooth = (_SOME if usual == CoilStart.NEWTON else _MUCH, CoilStart.NEWTON_SMOOTH)
    return (smooth, (_MUCH, CoilStart.CALIBRATED_COIL)) if calibrates(measurement) else (smooth,)


def smoothing_for(shape: tuple[int, int], preset: float) -> float:
    """Scale a preset's coil smoothing to the resolution: coils are as smooth in few pixels as in many.

    The penalty is a sum over orthonormal cosine coefficients, which shrinks with the pixels of the image just as the
    data term does; but the same coils have the same few degrees of freedom at every resolution. The longer side tells
    the resolution: a field of view that is cut short along one axis has fewer pixels, and no smoother coils.

    Parameters
    ----------
    shape
        Rows and columns of the image.
    preset
        Smoothing at 224 pixels; it is never lowered.
    """
    return preset * max(1.0, USUAL_SIDE / max(shape)) ** 2
