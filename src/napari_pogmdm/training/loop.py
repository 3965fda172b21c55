"""The loop that every training shares: step, and now and then validate, save and report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import torch
from torch import Tensor

from napari_pogmdm.errors import Cancelled

_LOSS_DECAY = 0.005  # of the running mean that is shown: over about 200 iterations, as single batches differ widely
_WARM_UP = 10  # has the moving average span a ninth of the first iterations, so that start values do not linger


class _HasLoss(Protocol):
    """A point of a validation curve."""

    @property
    def loss(self) -> float: ...


Point = TypeVar("Point", bound=_HasLoss)


class Trainable(Protocol[Point]):
    """A state of training, as the loop sees it: iterations done, seconds they took, validation curve so far."""

    iteration: int
    seconds: float
    history: list[Point]


@dataclass(frozen=True)
class TrainingProgress(Generic[Point]):
    """What a training reports after every iteration.

    Attributes
    ----------
    iteration, iterations
        Done, and in all.
    loss
        Running mean of the training loss.
    validation
        The newest point of the validation curve, if it was just taken.
    """

    iteration: int
    iterations: int
    loss: float
    validation: Point | None = None


@dataclass(frozen=True)
class Rhythm:
    """After how many iterations to validate and to save.

    Attributes
    ----------
    validate
        Iterations between validations.
    save
        Iterations between checkpoints; what an interruption costs at most.
    """

    validate: int = 1000
    save: int = 1000


USUAL_RHYTHM = Rhythm()


@dataclass(frozen=True, eq=False)
class Training(Generic[Point]):
    """What differs between trainings.

    Attributes
    ----------
    advance
        Does one iteration in place, and gives its loss.
    look
        Judges what was learned, given the running loss.
    save
        Writes a checkpoint.
    """

    advance: Callable[[], float]
    look: Callable[[float], Point]
    save: Callable[[], None]


def repeat(
    state: Trainable[Point],
    iterations: int,
    training: Training[Point],
    report: Callable[[TrainingProgress[Point]], None],
    cancelled: Callable[[], bool],
    rhythm: Rhythm,
) -> None:
    """Train until the last iteration.

    Parameters
    ----------
    state
        Fresh or loaded; changed in place.
    iterations
        In all.
    training
        What to do in each.
    report
        Called after every iteration.
    cancelled
        Asked before every iteration.
    rhythm
        When to validate and to save; both are done after the last iteration, too.

    Raises
    ------
    Cancelled
        If asked to stop; the checkpoint is written first.
    """
    running = state.history[-1].loss if state.history else float("nan")
    before, started = state.seconds, time.monotonic()
    while state.iteration < iterations:
        if cancelled():
            training.save()
            raise Cancelled(f"Training stopped at iteration {state.iteration}.")
        loss = training.advance()
        running = loss if running != running else running + _LOSS_DECAY * (loss - running)
        state.seconds = before + time.monotonic() - started
        validation = None
        last = state.iteration == iterations
        if last or state.iteration % rhythm.validate == 0:
            validation = training.look(running)
            state.history.append(validation)
        if last or state.iteration % rhythm.save == 0:
            training.save()
        report(TrainingProgress(state.iteration, iterations, running, validation))


def follow(averaged: dict[str, Tensor], values: Iterable[tuple[str, Tensor]], iteration: int, longest: float) -> None:
    """Take parameters into their moving average, which is a growing one at first.

    Parameters
    ----------
    averaged
        By name; changed in place.
    values
        The parameters of now, with their names.
    iteration
        Counted from 1.
    longest
        Decay of the average in the end.
    """
    decay = min(longest, (1 + iteration) / (_WARM_UP + iteration))
    with torch.no_grad():
        for name, tensor in values:
            averaged[name].lerp_(tensor, 1 - decay)
