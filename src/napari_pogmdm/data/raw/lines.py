"""Readouts of a raw file in one table, whatever the format: counters, flags, sizes and places in space."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntFlag
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Size

Lines = NDArray[np.void]
"""One record a readout, of the type `LINE`."""

Indices = NDArray[np.intp]
Progress = Callable[[float], None]
"""Is told the share of a long reading that is done, from 0 to 1."""

CancelCheck = Callable[[], bool]
"""Tells whether a long reading is no longer wanted."""


class LineKind(IntFlag):
    """What a readout is, besides part of the image."""

    NOISE = 1  # measured without a pulse
    CALIBRATION = 2  # of parallel imaging, and not of the image
    REVERSED = 4  # read from the far end
    NAVIGATOR = 8  # any readout that encodes no image: navigators, feedback, dummies
    PHASE_CORRECTION = 16  # of echo-planar imaging
    MULTIBAND = 32  # several slices at once, or their reference


COUNTERS = ("slice", "contrast", "phase", "set", "repetition")
"""Counters that tell one image from another, the fastest first."""

LINE = np.dtype(
    [(name, "i4") for name in ("step_1", "step_2", "average", *COUNTERS)]
    + [(name, "i4") for name in ("samples", "coils", "centre", "before", "after", "kind")]
    + [("dimensions", "i4"), ("position", "f4", 3), ("directions", "f4", (3, 3))]
)
"""What is known of a readout.

``before`` and ``after`` count samples to throw away at its ends, ``centre`` is the sample at zero frequency, 0 where
nobody says; ``dimensions`` are those of its trajectory; ``position`` (millimetres) and ``directions`` (of readout,
phase encoding and slice) are in the patient's left, posterior and head.
"""


@dataclass(frozen=True)
class Encoding:
    """What a file's header says of how its image is encoded; ``None`` where it does not.

    Attributes
    ----------
    matrix, recon_matrix
        Samples (readout, phase encoding, partitions) with oversampling, and pixels of the image.
    view_mm, recon_view_mm
        Fields of view of both, in millimetres.
    centre_1, centre_2
        Phase-encoding step and partition at zero frequency.
    trajectory
        "cartesian", "epi", "radial", "goldenangle", "spiral", or another word.
    calibration
        Of parallel imaging: "embedded", "interleaved", "separate", "external" or "".
    contrast
        What the protocol is called.
    field_strength_tesla
        Of the main magnet.
    """

    matrix: tuple[int, int, int] | None = None
    recon_matrix: tuple[int, int, int] | None = None
    view_mm: tuple[float, float, float] | None = None
    recon_view_mm: tuple[float, float, float] | None = None
    centre_1: int | None = None
    centre_2: int | None = None
    trajectory: str = "cartesian"
    calibration: str = ""
    contrast: str | None = None
    field_strength_tesla: float | None = None

    @property
    def oversampling(self) -> float:
        """Encoded over wanted field of view along the readout; 1 where the header does not say."""
        if self.view_mm and self.recon_view_mm and self.recon_view_mm[0] > 0:
            return max(1.0, self.view_mm[0] / self.recon_view_mm[0])
        return 1.0


class RawSource(Protocol):
    """A file of readouts that are read when they are asked for."""

    @property
    def name(self) -> str:
        """The file's name."""
        ...

    @property
    def lines(self) -> Lines:
        """All readouts of the measurement, in the order of the file."""
        ...

    @property
    def encoding(self) -> Encoding:
        """What the header says."""
        ...

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the card should know about the file."""
        ...

    def read(self, indices: Indices) -> Iterator[NDArray[np.complex64]]:
        """Give the samples (coils, samples) of some readouts, one by one."""
        ...

    def read_noise(self) -> Iterator[NDArray[np.complex64]]:
        """Give noise (coils, samples), as far as the file has any."""
        ...

    def read_trajectories(self, indices: Indices) -> Iterator[NDArray[np.float32]]:
        """Give the trajectories (samples, dimensions) of some readouts, as the file has them."""
        ...


def image_lines(lines: Lines, merged: bool) -> NDArray[np.bool_]:
    """Tell which readouts make the image.

    Parameters
    ----------
    lines
        All readouts.
    merged
        Whether calibration lines are part of the image's k-space.
    """
    other = LineKind.NOISE | LineKind.NAVIGATOR | LineKind.PHASE_CORRECTION
    other = other if merged else other | LineKind.CALIBRATION
    return np.asarray((lines["kind"] & int(other)) == 0)


def even(number: float) -> int:
    """Round to the next even number, as the centre of k-space is the middle of an even grid."""
    return 2 * round(number / 2)


def sizes(numbers: Size) -> str:
    """Write rows and columns as people do."""
    return f"{numbers[0]} x {numbers[1]}"
