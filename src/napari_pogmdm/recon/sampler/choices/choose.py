"""Choosing the settings that a run leaves to the data; the same data are asked once."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

from torch import Tensor

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import parameter_hash
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.left_out import leave_out, line_axis
from napari_pogmdm.recon.coils.shot_phase import shot_phase
from napari_pogmdm.recon.coils.start import chosen_start, starting_coils
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.record import data_hash
from napari_pogmdm.recon.sampler.algorithms.map_sets import more_sets
from napari_pogmdm.recon.sampler.choices.choices import Choices
from napari_pogmdm.recon.sampler.choices.coarse import coarse
from napari_pogmdm.recon.sampler.choices.rules import (
    USUAL_SIDE,
    Contender,
    last_resorts,
    other_starts,
    other_starts_of_two,
    smoothing_for,
    tells_two_sets_apart,
    unexplained,
    winner,
)
from napari_pogmdm.recon.sampler.choices.trial import Verdict, border_brightness, rms, run_trial
from napari_pogmdm.recon.sampler.presets import Preset, preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.settings import Choosing, SamplerSettings
from napari_pogmdm.runtime.threads import fixed_blocks

# Iterations of a trial: half of the preset fast. Coils move in each, as the contest is theirs: with every fourth, the
# second set of a wrapped scan is not found yet when the trial ends.
_ROUNDS, _COIL_INTERVAL = 10, 1
_STRIDE = 4  # pixels between those in which a trial's second set is computed; maps are smooth
_DARK = 0.3  # border of the aliased image against the object: from 0.47 in wrapped scans, up to 0.36 in heads that fit
_KEPT = 32  # choices that are remembered; each is a few hundred numbers

_known: OrderedDict[str, Choices] = OrderedDict()
_lock = threading.Lock()


def settled(request: RunRequest, cancelled: Callable[[], bool] | None = None) -> RunRequest:
    """Let the data choose what the settings leave open, and give the request with nothing left to choose.

    Parameters
    ----------
    request
        As it was asked for, or settled already.
    cancelled
        Asked in every iteration of a trial; saying yes raises `Cancelled`.
    """
    settings, measurement = request.settings, request.measurement
    judged = settings.uses("choose") and request.maps is None
    if settings.choose == Choosing.NONE or not judged or measurement.coils == 1:
        if settings.map_sets and settings.choose == Choosing.NONE:
            return request
        return replace(request, settings=replace(settings, map_sets=settings.sets, choose=Choosing.NONE))
    found = choose(measurement, request.prior, settings, cancelled)
    return replace(request, settings=found.apply(settings), choices=found)


@fixed_blocks()
def choose(
    measurement: Measurement,
    prior: ScorePrior,
    settings: SamplerSettings,
    cancelled: Callable[[], bool] | None = None,
) -> Choices:
    """Choose map sets, coil start and coil smoothing, as far as the settings leave them open.

    Parameters
    ----------
    measurement
        The data, of several coils.
    prior
        The learned prior.
    settings
        Of the run; values other than auto stay as they are.
    cancelled
        Asked in every iteration of a trial; saying yes raises `Cancelled`.
    """
    facts = (
        *(settings.choose, settings.map_sets, settings.coil_start, settings.coil_smoothing),
        *(settings.data_noise, settings.update_coils, measurement.kspace.device),
    )
    words = "|".join((data_hash(measurement), parameter_hash(prior), *map(str, facts)))
    where = measurement.sampling.measured.tobytes() + measurement.sampling.radius.tobytes()
    key = hashlib.sha256(words.encode() + where).hexdigest()
    with _lock:
        if key in _known:
            _known.move_to_end(key)
            return _known[key]
    found = _Trials(measurement, prior, settings, cancelled).choose()
    with _lock:
        _known[key] = found
        while len(_known) > _KEPT:
            _known.popitem(last=False)
    return found


def forget() -> None:
    """Forget all choices, so that the next one is made anew."""
    with _lock:
        _known.clear()


class _Trials:
    """The trials on one measurement."""

    def __init__(
        self,
        measurement: Measurement,
        prior: ScorePrior,
        settings: SamplerSettings,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._begun = time.perf_counter()
        self._held = coarse(leave_out(measurement))
        self._prior = prior
        self._settings = settings
        self._cancelled = cancelled
        self._full = settings.choose == Choosing.FULL
        self._shape = measurement.shape
        self._usual = CoilStart(chosen_start(measurement, settings.coil_start))
        fast = preset(Preset.FAST)
        self._trial = replace(
            fast,
            iterations=_ROUNDS,
            coil_smoothing=smoothing_for(self._held.shape, fast.coil_smoothing),
            data_noise=settings.data_noise * measurement.scale / self._held.scale,
            update_coils=settings.update_coils,
            choose=Choosing.NONE,
        )
        self._coils: dict[CoilStart, Tensor] = {}
        self._verdicts: dict[Contender, Verdict] = {}
        self._first_images = self._held.compensated.adjoint(self._held.kspace)
        self._signal = rms(self._held.kspace[self._held.measured & ~self._held.fitted])

    def choose(self) -> Choices:
        """Try what is open, the likely first, and choose."""
        sets = (self._settings.map_sets,) if self._settings.map_sets else (1, 2)
        open_start = self._full and self._settings.coil_start == CoilStart.AUTO and 1 in sets
        usual = [Contender(count, self._usual) for count in sets]
        if not self._signal or not (len(usual) > 1 or open_start):
            return self._chosen(usual[0])
        if not self._full and self._dark_border():
            return replace(self._chosen(usual[0]), dark_border=True)
        self._try(usual[:1])
        first = self._verdicts[usual[0]]
        if len(usual) > 1 and (first.reaches_border or math.isinf(first.error)):
            self._try(usual[1:])
            if self._verdicts[usual[1]].wraps:
                return self._chosen(self._best_of_two_sets(usual[1], open_start))
        # Two sets also make up for bad coils: better ones are tried, unless the field of view wraps.
        if open_start:
            self._try([Contender(1, start) for start in other_starts(self._held, self._usual)])
            for share, start in last_resorts(self._held, self._usual):
                if self._unexplained() > share:
                    self._try([Contender(1, start)])
        best = winner(self._verdicts, usual[0])
        return self._chosen(self._best_smoothing(best) if open_start else best)

    def _dark_border(self) -> bool:
        aliased = root_sum_of_squares(self._held.first_images)
        return border_brightness(aliased[None]) < _DARK

    def _best_of_two_sets(self, two: Contender, open_start: bool) -> Contender:
        if open_start:
            self._try([Contender(two.map_sets, start) for start in other_starts_of_two(self._usual)])
        best = winner(self._verdicts, two)
        return best if best.map_sets == 1 else self._best_smoothing(best)

    def _best_smoothing(self, best: Contender) -> Contender:
        """Try smoother coils as well where pixels are few; elsewhere the preset's smoothing is right as it is."""
        if not self._full or max(self._shape) >= USUAL_SIDE:
            return best
        self._try([best.smoother])
        return winner({one: self._verdicts[one] for one in (best, best.smoother)}, best)

    def _try(self, contenders: Sequence[Contender]) -> None:
        for one in contenders:
            if one.start not in self._coils:
                self._coils[one.start] = starting_coils(self._held, one.start, self._cancelled)
            coils = self._coils[one.start]
            if one.map_sets > 1:
                coils = more_sets(self._first_images, coils, one.map_sets, _STRIDE)
            often = _COIL_INTERVAL if one.map_sets > 1 else self._trial.coil_interval
            settings = replace(
                self._trial,
                map_sets=one.map_sets,
                coil_interval=often,
                coil_smoothing=one.smoothing * self._trial.coil_smoothing,
            )
            self._verdicts[one] = run_trial(self._held, self._prior, settings, coils, self._cancelled)

    def _unexplained(self) -> float:
        return unexplained(self._verdicts, self._signal) if self._verdicts else 0.0

    def _chosen(self, best: Contender) -> Choices:
        verdicts, given = self._verdicts, self._settings.coil_smoothing
        smoothing = smoothing_for(self._shape, given) if self._full else given
        return Choices(
            asked=self._settings.choose,
            map_sets=best.map_sets,
            coil_start=best.start,
            coil_smoothing=best.smoothing * smoothing,
            verdicts={one.name: verdict for one, verdict in verdicts.items()},
            signal=self._signal,
            unexplained=self._unexplained(),
            vague=best.map_sets > 1 and not tells_two_sets_apart(self._held, self._unexplained()),
            wraps=best.map_sets > 1 and best in verdicts and verdicts[best].wraps,
            misfit=verdicts[best].residual / verdicts[best].noise if best in verdicts else 0.0,
            colour=verdicts[best].colour if best in verdicts else 0.0,
            lines=line_axis(self._held.sampling.measured) is not None,
            shot_phase=shot_phase(self._held),
            scaled=smoothing != given,
            seconds=time.perf_counter() - self._begun,
        )
