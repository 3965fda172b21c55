"""The factor, fitted on validation scans, that turns the spread of chains into a standard deviation."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import MODEL_NAMES
from napari_pogmdm.recon.sampler.algorithms.by_name import ALGORITHMS
from napari_pogmdm.recon.sampler.choices.choices import Choices
from napari_pogmdm.recon.sampler.presets import PRESETS
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.spread import Ratios

NOT_AN_UNCERTAINTY = "not an uncertainty: chains of this preset share their answer"
UNCALIBRATED = "not calibrated: the spread of these chains, as it is"
MISFIT = "not calibrated here: these data do not fit the model, so errors may be larger"
OPEN_COILS = "not calibrated here: the coils of a field of view that wraps are not sure, so errors may be larger"
_BEYOND = 2.0  # how far the power goes on: scans that were left out at either end were predicted better than without
_CHOSEN = ("choose", "map_sets", "coil_start", "coil_smoothing", "data_noise")
"""Settings that the data, or the user for them, may choose without making another sampler."""


@dataclass(frozen=True)
class Calibration:
    """What the spread of chains is multiplied by, and on what evidence.

    Attributes
    ----------
    preset, model_sha256
        Of the chains.
    factor, exponents, middle
        Calibrated standard deviation over the spread of the chains: ``factor`` where the `Ratios` of that are those of
        the ``middle``, and elsewhere, for each of them, (its own ratio / that of the middle) ^ exponent times that.
    least, most
        Smallest and largest ratios of the cases it was fitted on.
    coverage
        Share of pixels inside so many standard deviations, by that number as text: what to expect, from validation
        scans that were left out of the fit in turn.
    scans, cases
        How many scans, and pairs of a scan and a mask, it was fitted on.
    evidence
        Command, versions, hashes of the scans, and the coverage of every case.
    """

    preset: str
    model_sha256: str
    factor: float
    exponents: Ratios
    middle: Ratios
    least: Ratios
    most: Ratios
    coverage: dict[str, float]
    scans: int
    cases: int
    evidence: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        positive = [self.factor, *(one for ratios in (self.middle, self.least, self.most) for one in astuple(ratios))]
        if not all(math.isfinite(one) and one > 0 for one in positive):
            raise InputError(f"calibration: {self.factor} is not a factor; it must be positive, as must ratios.")

    def factor_at(self, ratios: Ratios) -> float:
        """Give the factor for chains whose spread is so large.

        The powers go on for a while beyond what they were fitted on; where nothing is known it is that of the middle.

        Parameters
        ----------
        ratios
            Of the chains; not a number where one is not known.
        """
        factor = self.factor
        known = (astuple(one) for one in (ratios, self.exponents, self.middle, self.least, self.most))
        for ratio, exponent, middle, least, most in zip(*known, strict=True):
            if math.isfinite(ratio):
                factor *= (min(max(ratio, least / _BEYOND), most * _BEYOND) / middle) ** exponent
        return factor

    @property
    def words(self) -> str:
        """Say what a standard deviation means, for a caption."""
        inside = 100 * self.coverage.get("1", math.nan)
        return f"calibrated on {self.scans} scans: {inside:.0f} % interval"

    def to_json(self) -> str:
        """Write as JSON text."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], name: str) -> Calibration:
        """Read plain data of a file called ``name``."""
        try:
            ratios = {name: Ratios(**data[name]) for name in ("exponents", "middle", "least", "most")}
            return cls(**{**data, **ratios})
        except (TypeError, KeyError) as error:
            raise InputError(f"{name}: is not laid out like a calibration.") from error


@cache
def shipped_calibration(preset: str, model: str) -> Calibration | None:
    """Read the calibration of a preset with a shipped model; ``None`` where there is none."""
    file = files("napari_pogmdm.recon.sampler") / "preset_files" / f"{preset}.{model}.calibration.json"
    if not file.is_file():
        return None
    return Calibration.from_dict(json.loads(file.read_text(encoding="utf-8")), Path(file.name).name)


def calibration_for(settings: SamplerSettings, model_sha256: str) -> Calibration | None:
    """Find the calibration of chains with these settings and this prior; ``None`` where nobody fitted one.

    Parameters
    ----------
    settings
        As they were when the run began; what the data chose does not matter.
    model_sha256
        Of the prior.
    """
    for name, usual in PRESETS.items():
        alike = replace(settings, **{one: getattr(usual, one) for one in _CHOSEN})
        for model in MODEL_NAMES if alike == usual else ():
            found = shipped_calibration(name, model)
            if found is not None and found.model_sha256 == model_sha256:
                return found
    return None


def withdrawn(choices: Choices | None) -> str:
    """Say why a calibration does not hold for data, as far as they tell; nothing where it does.

    Parameters
    ----------
    choices
        What the data chose, and how well that fits them; ``None`` where nothing was chosen.
    """
    if choices is None:
        return ""
    if not choices.consistent:
        return MISFIT
    return OPEN_COILS if choices.vague else ""


def spread_in_words(settings: SamplerSettings, model_sha256: str) -> str:
    """Say what the standard deviation over chains with these settings is; a record knows more (`withdrawn`)."""
    found = calibration_for(settings, model_sha256)
    if found is not None:
        return found.words
    return UNCALIBRATED if ALGORITHMS[settings.algorithm].samples else NOT_AN_UNCERTAINTY
