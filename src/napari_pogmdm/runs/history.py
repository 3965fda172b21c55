"""The states of a chain that one can go back to, within a bounded memory."""

from __future__ import annotations

from napari_pogmdm.recon.sampler.state import SamplerState
from napari_pogmdm.runs.status import Position

BUDGET = 512 * 2**20
"""Bytes that kept states may take: half a gigabyte, which a laptop that runs napari can spare."""


class History:
    """Keeps states in order; when they outgrow the budget, every second one goes, but never the first or the last.

    Parameters
    ----------
    budget
        Bytes that kept states may take.

    Attributes
    ----------
    shown
        Index of the state that is shown; -1 while there is none.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._states: list[SamplerState] = []
        self.shown = -1

    def __len__(self) -> int:
        return len(self._states)

    @property
    def positions(self) -> tuple[Position, ...]:
        """Where the kept states stand."""
        return tuple(Position(state.iteration, state.substep) for state in self._states)

    @property
    def memory(self) -> int:
        """Bytes of all kept states; tensors that states share count once."""
        sizes = {
            tensor.data_ptr(): tensor.numel() * tensor.element_size()
            for state in self._states
            for tensor in (state.image, state.coils, state.previous, *state.noise)
        }
        return sum(sizes.values())

    @property
    def newest(self) -> SamplerState:
        """The last kept state."""
        return self._states[-1]

    def keep(self, state: SamplerState) -> None:
        """Append a state after the shown one; what came after that is forgotten."""
        self.forget_future()
        self._states.append(state)
        while len(self._states) > 2 and self.memory > self._budget:
            self._states = [*self._states[:-1][::2], self._states[-1]]
        self.shown = len(self._states) - 1

    def go_to(self, index: int) -> SamplerState:
        """Show a kept state."""
        self.shown = max(0, min(index, len(self._states) - 1))
        return self._states[self.shown]

    def last_whole(self) -> SamplerState:
        """Give the shown state or the nearest before it that ends an iteration; the first one always does."""
        return next(state for state in self._states[self.shown :: -1] if state.substep == 0)

    def end_with(self, state: SamplerState) -> None:
        """Drop all states that come after this one, and show it."""
        before = [one for one in self._states if (one.iteration, one.substep) < (state.iteration, state.substep)]
        self._states = [*before, state]
        self.shown = len(before)

    def forget_future(self) -> None:
        """Drop the states after the shown one."""
        del self._states[self.shown + 1 :]
