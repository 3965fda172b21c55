"""From the spread of chains to a standard deviation that means what it says: a factor, fitted on validation scans."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.sampler.algorithms.by_name import ALGORITHMS
from napari_pogmdm.recon.sampler.presets import PRESETS
from napari_pogmdm.recon.sampler.settings import SamplerSettings

NOT_AN_UNCERTAINTY = "not an uncertainty: chains of this preset share their answer"
UNCALIBRATED = "not calibrated: the spread of these chains, as it is"
_CHOSEN = ("choose", "map_sets", "coil_start", "coil_smoothing", "data_noise")
"""Settings that the data, or the user for them, may choose without making another sampler."""


@dataclass(frozen=True)
class Calibration:
    """What the spread of chains is multiplied by, and on what evidence.

    Attributes
    ----------
    preset, model_sha256
        Of the chains.
    factor, exponent, noise
        Calibrated standard deviation over that of the chains: ``factor`` for data of this noise (of a real component,
        where the brightest pixel is about 1), and for others (their noise / ``noise``) ^ ``exponent`` times that.
    noises
        Smallest and largest noise of the data it was fitted on.
    pixels, pixel_exponent, sizes
        The same for the number of pixels: large ones hold more than the prior has seen in its own.
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
    exponent: float
    noise: float
    noises: tuple[float, float]
    pixels: float
    pixel_exponent: float
    sizes: tuple[float, float]
    coverage: dict[str, float]
    scans: int
    cases: int
    evidence: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not all(math.isfinite(one) and one > 0 for one in (self.factor, self.noise, *self.noises, self.pixels)):
            raise InputError(f"calibration: {self.factor} is not a factor; it must be positive, as must noises.")

    def factor_at(self, noise: float, pixels: float) -> float:
        """Give the factor for data of this noise and size; outside of what it was fitted on, that of the nearer end."""
        of_noise = (_within(noise, self.noises) / self.noise) ** self.exponent
        return self.factor * of_noise * (_within(pixels, self.sizes) / self.pixels) ** self.pixel_exponent

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
            return cls(**{**data, "noises": tuple(data["noises"]), "sizes": tuple(data["sizes"])})
        except (TypeError, KeyError) as error:
            raise InputError(f"{name}: is not laid out like a calibration.") from error


def _within(value: float, ends: tuple[float, float]) -> float:
    return min(max(value, ends[0]), ends[1])


@cache
def shipped_calibration(preset: str) -> Calibration | None:
    """Read the calibration that stands beside a preset; ``None`` where there is none."""
    file = files("napari_pogmdm.recon.sampler") / "preset_files" / f"{preset}.calibration.json"
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
        found = shipped_calibration(name) if alike == usual else None
        if found is not None and found.model_sha256 == model_sha256:
            return found
    return None


def spread_in_words(settings: SamplerSettings, model_sha256: str) -> str:
    """Say what the standard deviation over chains with these settings is."""
    found = calibration_for(settings, model_sha256)
    if found is not None:
        return found.words
    return UNCALIBRATED if ALGORITHMS[settings.algorithm].samples else NOT_AN_UNCERTAINTY
