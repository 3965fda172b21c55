"""The `Stepper` protocol of every method, start, step and estimate, and `run`, which steps one to its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import torch
from torch import Tensor

from napari_pogmdm.arrays import shapes
from napari_pogmdm.physics.coils import root_sum_of_squares

Progress = Callable[[int, int], None]
"""Told the steps done and the steps in all."""

CancelCheck = Callable[[], bool]
"""Asked whether to stop."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """What a method knows at some step.

    Attributes
    ----------
    image
        (rows, columns), complex or real.
    coils
        (coils, rows, columns), where the method has them.
    """

    image: Tensor
    coils: Tensor | None = None

    def __repr__(self) -> str:
        coils = "no coils" if self.coils is None else f"{self.coils.shape[-3]} coils"
        return f"<Estimate {shapes(self.image)}, {coils}>"

    @property
    def magnitude(self) -> Tensor:
        """Magnitude corrected for the coils' own intensity: |x| RSS(s)."""
        if self.coils is None:
            return self.image.abs()
        return self.image.abs() * root_sum_of_squares(self.coils)

    @property
    def complex_image(self) -> Tensor:
        """The image that goes with coils of unit intensity: x RSS(s), complex64."""
        image = self.image.to(torch.complex64)
        return image if self.coils is None else image * root_sum_of_squares(self.coils)


State = TypeVar("State")


class Stepper(Protocol[State]):
    """A reconstruction method bound to a measurement.

    ``start`` makes the first state, ``step`` a new state from an old one, ``estimate`` shows what a state holds. States
    are plain data; a stepper holds nothing that changes.
    """

    @property
    def steps(self) -> int:
        """How many steps a full run takes."""
        ...

    def start(self) -> State:
        """Make the state before the first step."""
        ...

    def step(self, state: State) -> State:
        """Advance by one step."""
        ...

    def estimate(self, state: State) -> Estimate:
        """Show the image, and the coils if the method has them."""
        ...


def run(
    stepper: Stepper[State], progress: Progress | None = None, cancelled: CancelCheck | None = None
) -> tuple[State, int]:
    """Step to the end, or until ``cancelled()`` says so.

    Returns
    -------
    The last state and the number of steps it took.
    """
    state = stepper.start()
    for done in range(stepper.steps):
        if cancelled is not None and cancelled():
            return state, done
        state = stepper.step(state)
        if progress is not None:
            progress(done + 1, stepper.steps)
    return state, stepper.steps
