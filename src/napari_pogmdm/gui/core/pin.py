"""A pinned result and how it was made; plain data."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from napari_pogmdm.arrays import FloatImage, white_of
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.recon.metrics import Metrics
from napari_pogmdm.runs.status import TracePoint

_FACTS = ("name", "scan", "method", "settings", "mask")
_NUMBERS = ("acceleration", "psnr_db", "ssim", "nmse", "seconds")


@dataclass(frozen=True, eq=False)
class Ghost:
    """An earlier run, as far as it stays.

    Attributes
    ----------
    label
        What it was: model, settings, acceleration, PSNR.
    trace
        Its numbers.
    """

    label: str
    trace: tuple[TracePoint, ...]


@dataclass(frozen=True, eq=False)
class Pin:
    """A result of a run, or of a method that was compared.

    Attributes
    ----------
    name
        That the user may change.
    role
        Of its layer.
    image
        (rows, columns) in the units of the file.
    method, settings
        Model or method; name of the preset, or "own settings".
    mask, acceleration
        In words, and its true acceleration.
    source
        Scan and slice that it was made of, for people.
    seconds
        It took.
    metrics
        Against the fully sampled image, where there was one.
    reference
        That image.
    details
        What else made it, such as seed and values of settings, for people.
    trace
        Numbers of the run, where it was one.
    phase
        (rows, columns) of the complex image, where there is one.
    """

    name: str
    role: str
    image: FloatImage
    method: str
    settings: str
    mask: str
    acceleration: float
    source: str
    seconds: float
    metrics: Metrics | None = None
    reference: FloatImage | None = None
    details: str = ""
    trace: tuple[TracePoint, ...] = ()
    phase: FloatImage | None = None

    @property
    def facts(self) -> str:
        """What its title says besides its name."""
        parts = [self.method, self.settings, f"R = {self.acceleration:.2f}"]
        if self.metrics is not None and math.isfinite(self.metrics.psnr):
            parts.append(f"{self.metrics.psnr:.1f} dB")
        return ", ".join(part for part in parts if part)

    @cached_property
    def ghost(self) -> Ghost:
        """Its curves."""
        return Ghost(f"{self.name}: {self.facts}", self.trace)

    @property
    def white(self) -> float:
        """Intensity that is shown as white: that of its scan, as far as it is known."""
        return white_of(self.image if self.reference is None else self.reference)


def save_pins(path: Path, pins: Sequence[Pin]) -> None:
    """Write one line a pinned result as CSV."""
    if not pins:
        raise InputError(f"{path.name}: nothing is pinned yet, so there is no table to save.")
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    writer.writerow((*_FACTS, *_NUMBERS, "details"))
    for pin in pins:
        scores = pin.metrics or Metrics(math.nan, math.nan, math.nan)
        numbers = [f"{value:.6g}" for value in (pin.acceleration, scores.psnr, scores.ssim, scores.nmse, pin.seconds)]
        writer.writerow((pin.name, pin.source, pin.method, pin.settings, pin.mask, *numbers, pin.details))
    write_file(path, lines.getvalue())
