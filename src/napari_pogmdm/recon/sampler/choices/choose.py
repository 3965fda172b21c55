"""Choosing the settings that a run leaves to the data; the same data are asked once."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

from torch import Tensor

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.weights import parameter_hash
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.left_out import leave_out, line_axis
from napari_pogmdm.recon.coils.shot_phase import shot_phase
from napari_pogmdm.recon.coils.start import chosen_start, starting_coils
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.record import data_hash
from napari_pogmdm.recon.sampler.choices.choices import Choices
from napari_pogmdm.recon.sampler.choices.rules import (
    MUCH,
    Contender,
    ghosts,
    last_resorts,
    other_starts,
    smoothing_for,
    too_close,
    unexplained,
    winner,
)
from napari_pogmdm.recon.sampler.choices.trial import Verdict, border_brightness, rms, run_trial
from napari_pogmdm.recon.sampler.presets import Preset, preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.settings import Choosing, SamplerSettings

_ROUNDS = 10  # iterations of a trial: half of the preset fast, after which the order of contenders no longer changes
_DARK = 0.4  # border of the aliased image against the object: from 0.47 in wrapped scans, up to 0.36 in heads that fit
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


def choose(
    measurement: Measurement,
    prior: Prior,
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


class _Trials:
    """The trials on one measurement."""

    def __init__(
        self,
        measurement: Measurement,
        prior: Prior,
        settings: SamplerSettings,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._begun = time.perf_counter()
        self._held = leave_out(measurement)
        self._prior = prior
        self._settings = settings
        self._cancelled = cancelled
        self._full = settings.choose == Choosing.FULL
        self._usual = CoilStart(chosen_start(measurement, settings.coil_start))
        fast = preset(Preset.FAST)
        self._trial = replace(
            fast,
            iterations=_ROUNDS,
            coil_smoothing=self._smoothing(fast.coil_smoothing),
            data_noise=settings.data_noise,
            update_coils=settings.update_coils,
            choose=Choosing.NONE,
        )
        self._coils: dict[CoilStart, Tensor] = {}
        self._verdicts: dict[Contender, Verdict] = {}
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
        self._try(usual)
        best = usual[0] if len(usual) == 1 else self._chosen_sets(*usual)
        # Two sets also make up for bad coils: better ones are tried first, unless the field of view wraps.
        if open_start and not (best.map_sets > 1 and self._verdicts[best].wraps):
            self._try_starts(other_starts(self._held, self._usual))
            if unexplained(self._verdicts, self._signal) > MUCH:
                self._try_starts(last_resorts(self._held))
            best = winner(self._verdicts, usual[0])
        return self._chosen(best)

    def _dark_border(self) -> bool:
        aliased = root_sum_of_squares(self._held.first_images)
        return border_brightness(aliased[None]) < _DARK

    def _chosen_sets(self, one: Contender, two: Contender) -> Contender:
        verdicts = self._verdicts
        if not verdicts[two].wraps:
            return winner(verdicts, one)
        # The object reaches the border: look twice, and give two sets the benefit of the doubt.
        if too_close(verdicts[one], verdicts[two]):
            self._trial = replace(self._trial, iterations=2 * self._trial.iterations)
            self._try((one, two))
        return winner(verdicts, two)

    def _try_starts(self, starts: Sequence[CoilStart]) -> None:
        self._try([Contender(1, start) for start in starts])

    def _try(self, contenders: Sequence[Contender]) -> None:
        for one in contenders:
            if one.start not in self._coils:
                self._coils[one.start] = starting_coils(self._held, one.start, self._cancelled)
            settings = replace(self._trial, map_sets=one.map_sets)
            self._verdicts[one] = run_trial(self._held, self._prior, settings, self._coils[one.start], self._cancelled)

    def _chosen(self, best: Contender) -> Choices:
        verdicts, given = self._verdicts, self._settings.coil_smoothing
        smoothing = self._smoothing(given, best.map_sets)
        return Choices(
            asked=self._settings.choose,
            map_sets=best.map_sets,
            coil_start=best.start,
            coil_smoothing=smoothing,
            verdicts={one.name: verdict for one, verdict in verdicts.items()},
            signal=self._signal,
            unexplained=unexplained(verdicts, self._signal) if verdicts else 0.0,
            wraps=best.map_sets > 1 and best in verdicts and verdicts[best].wraps,
            # Points are predicted from neighbours in all directions, so that two sets are better without any fault.
            ghosts=bool(verdicts) and line_axis(self._held.sampling.measured) is not None and ghosts(verdicts),
            shot_phase=shot_phase(self._held),
            scaled=smoothing != given,
            seconds=time.perf_counter() - self._begun,
        )

    def _smoothing(self, given: float, map_sets: int = 1) -> float:
        return smoothing_for(self._held.shape, given, map_sets) if self._full else given
