"""The progress of a run and its pictures, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from napari_pogmdm.arrays import FloatImage


class Phase(Enum):
    """Where a run stands."""

    IDLE = "idle"
    PREPARING = "preparing"
    PAUSED = "paused"
    PLAYING = "playing"
    RUNNING = "running"
    CANCELLING = "cancelling"
    STOPPED = "stopped"
    FINISHED = "finished"

    @property
    def busy(self) -> bool:
        """Whether the background is computing."""
        return self in {Phase.PREPARING, Phase.PLAYING, Phase.RUNNING, Phase.CANCELLING}


@dataclass(frozen=True)
class Position:
    """A kept state of the current chain.

    Attributes
    ----------
    iteration, substep
        Iterations finished, and substeps finished in the next one.
    """

    iteration: int
    substep: int


@dataclass(frozen=True)
class RunStatus:
    """A run at a glance.

    Attributes
    ----------
    phase
        What the run is doing.
    chain, chains
        The current chain, counted from 0, and how many there will be.
    iteration, steps
        Iterations finished in this chain, and those of a whole chain.
    plan, substep
        Names of the substeps of an iteration, and the index of the one that comes next.
    sigma
        Noise level of the current image.
    seconds_left
        Estimated time to the end of all chains; ``None`` while nothing is known or nothing runs.
    kept, shown
        States one can go back to, and which of them is the current one.
    kept_bytes
        Memory they take.
    choices
        What the data chose, a sentence each; a second one says that they do not fit the model.
    """

    phase: Phase = Phase.IDLE
    chain: int = 0
    chains: int = 1
    iteration: int = 0
    steps: int = 0
    plan: tuple[str, ...] = ()
    substep: int = 0
    sigma: float = 0.0
    seconds_left: float | None = None
    kept: tuple[Position, ...] = ()
    shown: int = -1
    kept_bytes: int = 0
    choices: tuple[str, ...] = ()

    @property
    def behind(self) -> bool:
        """Whether an earlier state is shown than the newest."""
        return self.shown < len(self.kept) - 1

    @property
    def fraction(self) -> float:
        """Share of the whole run that is done."""
        if not self.steps:
            return 0.0
        within = self.iteration + (self.substep / len(self.plan) if self.plan else 0.0)
        return min(1.0, (self.chain * self.steps + within) / (self.chains * self.steps))


_LARGEST_COUNT = 2**31  # what an int of any reader holds; no run has as many iterations
COLUMNS = (
    "chain",
    "iteration",
    "substep",
    "sigma",
    "psnr",
    "ssim",
    "nmse",
    "misfit",
    "step_size",
    "coil_low",
    "coil_high",
)
"""What a row of a trace holds, in this order; the last two are the range of RSS(s)."""


@dataclass(frozen=True)
class TracePoint:
    """Numbers of one moment of a run; NaN where there is nothing to compare with, or what was not measured.

    Attributes
    ----------
    chain, iteration, substep
        When: the chain counted from 0, iterations finished in it, and substeps finished in the next one.
    sigma
        Noise level of the image, as a standard deviation; the brightest pixel is about 1.
    psnr, ssim, nmse
        Against the reference; PSNR in dB.
    misfit
        What image and coils leave of the data, |y - A(x, s)| / |y|.
    step_size
        The corrector's last step eps.
    coil_range
        Smallest and largest RSS(s) over the image.
    """

    chain: int
    iteration: int
    substep: int
    sigma: float
    psnr: float
    ssim: float
    nmse: float
    misfit: float
    step_size: float
    coil_range: tuple[float, float]

    @property
    def moment(self) -> tuple[int, int, int]:
        """When it was taken, in an order that can be compared."""
        return self.chain, self.iteration, self.substep

    @property
    def row(self) -> tuple[float, ...]:
        """The numbers under `COLUMNS`."""
        return (*(getattr(self, name) for name in COLUMNS[:-2]), *self.coil_range)

    @classmethod
    def from_row(cls, row: Sequence[float]) -> TracePoint:
        """Read what `row` gave; counts beyond all reason, from a damaged file, become 0."""
        chain, iteration, substep = (int(value) if abs(value) < _LARGEST_COUNT else 0 for value in row[:3])
        sigma, psnr, ssim, nmse, misfit, step_size, low, high = row[3:]
        return cls(chain, iteration, substep, sigma, psnr, ssim, nmse, misfit, step_size, (low, high))


@dataclass(frozen=True, eq=False)
class Frame:
    """Small arrays made for looking at, with the moment they show.

    Attributes
    ----------
    arrays
        (rows, columns) or (coils, rows, columns), by the role of the layer that shows them.
    point
        Numbers of the moment; those that cost too much to take for every picture are NaN in between.
    """

    arrays: Mapping[str, FloatImage]
    point: TracePoint
