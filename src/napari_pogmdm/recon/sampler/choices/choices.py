"""What a scan has chosen, on what evidence, and how to say it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.sampler.choices.rules import SHOT_PHASE, explained, fits, white
from napari_pogmdm.recon.sampler.choices.trial import Verdict
from napari_pogmdm.recon.sampler.settings import Choosing, SamplerSettings

INCONSISTENT = "these data do not fit the model: motion, wrong axis order, phase errors between shots?"
VAGUE = (
    "so few central lines hardly tell two sets of coil maps apart: expect errors beyond the noise; measure 8 or more."
)
WARNINGS = (INCONSISTENT, VAGUE)
_STARTS = {
    CoilStart.LOW_PASS: "coils from the centre of k-space",
    CoilStart.NEWTON: "coils from three Newton steps",
    CoilStart.NEWTON_6: "coils from six Newton steps",
    CoilStart.NEWTON_9: "coils from nine Newton steps",
    CoilStart.NEWTON_SMOOTH: "smooth coils from nine Newton steps, as the phase of the object turns fast",
    CoilStart.CALIBRATED: "calibrated coils",
    CoilStart.CALIBRATED_COIL: "calibrated coils in phase with the strongest",
}


@dataclass(frozen=True)
class Choices:
    """What was chosen, and on what evidence.

    Attributes
    ----------
    asked
        How much the data were asked to choose.
    map_sets, coil_start, coil_smoothing
        Of the run.
    verdicts
        Of all trials, by the name of the contender, the usual one first; empty where there was nothing to judge.
    signal
        Root mean square of a real component of the left-out samples, in units of the data.
    unexplained
        Share of that signal, beyond noise, that the best trial did not predict.
    wraps
        Whether two map sets, where they were chosen, serve a field of view that wraps.
    misfit
        Residual of the samples that were fitted, in units of their noise, at the end of the best trial.
    colour
        The same near the middle of k-space against what may be there (`Verdict`).
    lines
        Whether the mask is one of whole lines.
    shot_phase
        Phase of odd against even lines in radians, as far as the centre tells (`shot_phase`).
    dark_border
        Whether the aliased image is so dark along its border that the field of view cannot wrap, which `quick` trusts.
    vague
        Whether two map sets were chosen that the lines of the mask hardly tell apart.
    scaled
        Whether the coil smoothing was scaled to the size of the image.
    seconds
        What the choosing took, at the time when it was done.
    """

    asked: Choosing
    map_sets: int
    coil_start: CoilStart
    coil_smoothing: float
    verdicts: Mapping[str, Verdict]
    signal: float = 0.0
    unexplained: float = 0.0
    wraps: bool = False
    misfit: float = 0.0
    colour: float = 0.0
    lines: bool = True
    shot_phase: float = 0.0
    dark_border: bool = False
    vague: bool = False
    scaled: bool = False
    seconds: float = 0.0

    @property
    def consistent(self) -> bool:
        """Whether the usual trial ended, the best met the noise and what was left out, and shots agree."""
        if not fits(self.misfit, self.unexplained, lines=self.lines) or not white(self.colour):
            return False
        if abs(self.shot_phase) > SHOT_PHASE:
            return False
        tried = list(self.verdicts.values())
        return not tried or (math.isfinite(tried[0].error) and explained(self.unexplained, self.signal, self._noise))

    @property
    def words(self) -> tuple[str, ...]:
        """Say it to people: a sentence on the choice, and one more if data and model do not fit or tell too little."""
        said = self._choice_in_words()
        if not self.consistent:
            return (*said, INCONSISTENT)
        return (*said, VAGUE) if self.vague else said

    def _choice_in_words(self) -> tuple[str, ...]:
        if not self.verdicts:
            return ("one map set: the object does not reach the border of the field of view.",) * self.dark_border
        sets = "one map set"
        if self.map_sets > 1:
            sets = f"{'the field of view wraps' if self.wraps else 'two signals share a pixel'}: two map sets"
        start = _STARTS.get(self.coil_start, f"{self.coil_start} coils")
        smooth = f"; coil smoothing {self.coil_smoothing:.4g} for this image size" if self.scaled else ""
        errors = ", ".join(f"{name} {verdict.relative_error:.3g}" for name, verdict in self.verdicts.items())
        return (f"{sets}; {start}{smooth} (error on samples left out, in units of the noise: {errors}).",)

    @property
    def _noise(self) -> float:
        return min(verdict.noise for verdict in self.verdicts.values())

    def apply(self, settings: SamplerSettings) -> SamplerSettings:
        """Fill in the settings of the run; nothing is left to choose then."""
        return replace(
            settings,
            map_sets=self.map_sets,
            coil_start=self.coil_start,
            coil_smoothing=self.coil_smoothing,
            choose=Choosing.NONE,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a record; the error of a run that diverged is ``None``."""
        return {
            "asked": str(self.asked),
            "map_sets": self.map_sets,
            "coil_start": str(self.coil_start),
            "coil_smoothing": self.coil_smoothing,
            "errors": {name: _finite(verdict.error) for name, verdict in self.verdicts.items()},
            "residuals": {name: _finite(verdict.residual) for name, verdict in self.verdicts.items()},
            "noise": {name: verdict.noise for name, verdict in self.verdicts.items()},
            "signal": self.signal,
            "unexplained": _finite(self.unexplained),
            "wraps": self.wraps,
            "misfit": _finite(self.misfit),
            "colour": self.colour,
            "shot_phase": self.shot_phase,
            "dark_border": self.dark_border,
            "vague": self.vague,
            "consistent": self.consistent,
            "words": list(self.words),
            "seconds": round(self.seconds, 3),
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
