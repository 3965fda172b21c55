"""A sampler run that can be stepped, changed while it runs and rewound; it knows nothing of threads or windows."""

from __future__ import annotations

import time
from collections.abc import Callable

from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.chains import Chains, FinishedChains
from napari_pogmdm.recon.sampler.changes import changed
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.sample import record_of, result_of
from napari_pogmdm.recon.sampler.state import SamplerState
from napari_pogmdm.runs.frames import FrameContext
from napari_pogmdm.runs.history import BUDGET, History


class Run(Chains):
    """The chains of one request, one after the other, with a history of states to go back to.

    Parameters
    ----------
    request
        What to run.
    cancelled
        Asked inside long substeps; saying yes raises `Cancelled`.
    history_budget
        Bytes that kept states may take.
    """

    history: History
    _whole: SamplerState

    def __init__(
        self, request: RunRequest, cancelled: Callable[[], bool] | None = None, history_budget: int = BUDGET
    ) -> None:
        self._budget = history_budget
        self._begun = time.perf_counter()
        super().__init__(request, cancelled=cancelled)

    @property
    def behind(self) -> bool:
        """Whether an earlier state is shown than the newest: going on from it abandons what came after."""
        return self.history.shown < len(self.history) - 1

    @property
    def forks(self) -> bool:
        """Whether going on from the shown state leads elsewhere than before, since settings differ."""
        now = changed(self.request.settings, [change for change in self.changes if change.moment < self.moment])
        later = [change for change in self.changes if change.moment >= self.moment]
        return self.behind and (bool(later) or now != self._requested)

    @property
    def context(self) -> FrameContext:
        """What pictures of the current state depend on."""
        request = self.request
        return FrameContext(request.measurement, self.sampler, request.reference, self.so_far.moments, self.chain)

    def substep(self, keep: bool = True) -> None:
        """Take the next line of the algorithm; after a chain's last, the next chain begins.

        Parameters
        ----------
        keep
            Keep the state to go back to; the ends of iterations are always kept.
        """
        if self.finished:
            return
        if self.behind and not self.chain_finished:
            self._forget_future()
        super().substep()
        if self.state.substep == 0:
            self._whole = self.state
        if keep or self.state.substep == 0:
            self.history.keep(self.state)

    def step(self) -> None:
        """Finish the current iteration."""
        self.substep(keep=False)
        while self.state.substep:
            self.substep(keep=False)

    def keep(self) -> None:
        """Keep the current state to go back to, wherever in an iteration it is."""
        if not self.behind and self.history.newest is not self.state:
            self.history.keep(self.state)

    def settle(self) -> None:
        """Go back to the end of the last whole iteration, which is what a stopped run is recorded, and repeated, as."""
        if self.state.substep:
            self.state = self._whole
            self.history.end_with(self.state)
            self._forget_future()

    def go_to(self, index: int) -> None:
        """Look at a kept state of this chain; nothing is forgotten until the run goes on from there."""
        self.state = self.history.go_to(index)
        self._whole = self.history.last_whole()
        self.so_far = self._before
        if self.chain_finished:
            self._count()

    def result(self, *, stopped: bool) -> Reconstruction:
        """Give what there is: the mean of finished chains or, before the first is done, the current image."""
        finished, steps = self.so_far, None
        if finished.moments.count == 0:
            finished, steps = self._unfinished(), self.state.iteration
        seconds = time.perf_counter() - self._begun
        record = record_of(self.request, finished, steps=steps, stopped=stopped, seconds=seconds, changes=self.changes)
        return result_of(self.request, finished, record)

    def _unfinished(self) -> FinishedChains:
        """Take the current state for the end of its chain."""
        noise = float(self.sampler.found_noise(self.state)[0])
        return self.so_far.add(self.sampler.estimate(self.state), noise, self.state.coils[0])

    def _begin(self) -> None:
        super()._begin()
        self._whole = self.state
        self.history = History(self._budget)
        self.history.keep(self.state)

    def _forget_future(self) -> None:
        """Drop what was computed, and changed, after the shown state."""
        self.history.forget_future()
        self.changes = [change for change in self.changes if change.moment < self.moment]
        self.settings = changed(self.request.settings, self.changes)
