"""A sampler run that can be stepped, changed on the way and gone back in; it knows nothing of threads or windows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from torch import Tensor

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.changes import Change, changed
from napari_pogmdm.recon.sampler.ensemble import Moments
from napari_pogmdm.recon.sampler.sample import finish
from napari_pogmdm.recon.sampler.sampler import Sampler, SamplerState
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.runs.frames import FrameContext
from napari_pogmdm.runs.history import BUDGET, History


@dataclass(frozen=True, eq=False)
class RunRequest:
    """All that a run needs to know.

    Attributes
    ----------
    reference
        The fully sampled image, cropped, where there is one to compare with.
    coils
        Known coils to start from, instead of the start that the settings name.
    """

    measurement: Measurement
    prior: Prior
    settings: SamplerSettings
    chains: int = 1
    seed: int = 0
    reference: FloatImage | None = None
    coils: Tensor | None = None


class Run:
    """The chains of one request, one after the other."""

    sampler: Sampler
    state: SamplerState
    history: History

    def __init__(
        self, request: RunRequest, cancelled: Callable[[], bool] | None = None, history_budget: int = BUDGET
    ) -> None:
        self.request = request
        self.settings = request.settings
        self._wished = request.settings
        self.chain = 0
        self.changes: list[Change] = []
        self._cancelled = cancelled
        self._budget = history_budget
        self._begun = time.perf_counter()
        self._before = Moments.empty(request.measurement.shape)
        self._moments = self._before
        self._first_coils = request.coils
        self._result_coils: Tensor | None = None
        self._begin_chain()
        self._first_coils = self.state.coils[0]

    @property
    def chain_finished(self) -> bool:
        """Whether the current chain has taken all of its iterations."""
        return self.state.iteration >= self.sampler.steps

    @property
    def finished(self) -> bool:
        """Whether all chains have."""
        return self.chain_finished and self.chain + 1 >= self.request.chains

    @property
    def behind(self) -> bool:
        """Whether an earlier state is shown than the newest: going on from it abandons what came after."""
        return self.history.shown < len(self.history) - 1

    @property
    def forks(self) -> bool:
        """Whether going on from the shown state leads elsewhere than before, since settings differ."""
        here = (self.chain, self.state.iteration, self.state.substep)
        now = changed(self.request.settings, [change for change in self.changes if change.moment < here])
        later = [change for change in self.changes if change.moment >= here]
        return self.behind and (bool(later) or now != self._wished)

    @property
    def context(self) -> FrameContext:
        """What pictures of the current state depend on."""
        return FrameContext(self.request.measurement, self.sampler, self.request.reference, self._moments, self.chain)

    def substep(self, keep: bool = True) -> None:
        """Take the next line of the algorithm; after a chain's last, the next chain begins.

        Parameters
        ----------
        keep
            Keep the state to go back to; the ends of iterations are always kept.
        """
        if self.finished:
            return
        if self.chain_finished:
            self._next_chain()
        if self.behind:
            self._forget_future()
        self._adopt_wishes()
        self.state = self.sampler.substep(self.state)
        if self.state.substep == 0:
            self._whole = self.state
        if keep or self.state.substep == 0:
            self.history.keep(self.state)
        if self.chain_finished:
            level = float(self.sampler.found_noise(self.state)[0])
            self._moments = self._before.add(self._magnitude(), level)
            if self.chain == 0:
                self._result_coils = self.state.coils[0]

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
        if not self.chain_finished:
            self._moments = self._before
        elif self._moments.count == self._before.count:
            self._moments = self._before.add(self._magnitude(), float(self.sampler.found_noise(self.state)[0]))

    def change(self, name: str, value: Any) -> None:
        """Wish for another value of a live setting; it holds, and is noted, from the next substep on."""
        wished = replace(self._wished, **{name: value})
        self.sampler.with_settings(wished)
        self._wished = wished

    def result(self, *, stopped: bool) -> Reconstruction:
        """Give what there is: the mean of finished chains or, before the first is done, the current image."""
        moments = self._moments
        if moments.count == 0:
            moments = moments.add(self._magnitude(), float(self.sampler.found_noise(self.state)[0]))
        return finish(
            self.request.measurement,
            self.request.prior,
            self.request.settings,
            moments,
            self.state.coils[0] if self._result_coils is None else self._result_coils,
            seed=self.request.seed,
            steps=self.sampler.steps if self._moments.count else self.state.iteration,
            stopped=stopped,
            seconds=time.perf_counter() - self._begun,
            changes=tuple(self.changes),
        )

    def _begin_chain(self) -> None:
        seed = self.request.seed + self.chain
        self.sampler = Sampler(
            self.request.measurement,
            self.request.prior,
            self.request.settings,
            (seed,),
            self._first_coils,
            cancelled=self._cancelled,
        )
        if self.settings != self.request.settings:
            self.sampler = self.sampler.with_settings(self.settings)
        self.state = self.sampler.start()
        self._whole = self.state
        self.history = History(self._budget)
        self.history.keep(self.state)

    def _next_chain(self) -> None:
        self._before = self._moments
        self.chain += 1
        self._begin_chain()

    def _forget_future(self) -> None:
        """Drop what was computed, and changed, behind the shown state."""
        self.history.forget_future()
        here = (self.chain, self.state.iteration, self.state.substep)
        self.changes = [change for change in self.changes if change.moment < here]
        self.settings = changed(self.request.settings, self.changes)

    def _adopt_wishes(self) -> None:
        """Let wished settings take effect at the current state, and note what changed."""
        names = [one.name for one in fields(self.settings)]
        for name in names:
            value = getattr(self._wished, name)
            if value != getattr(self.settings, name):
                self.changes.append(Change(self.state.iteration, self.state.substep, name, value, self.chain))
        if self.sampler.settings != self._wished:
            self.sampler = self.sampler.with_settings(self._wished)
        self.settings = self._wished

    def _magnitude(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return self.sampler.estimate(self.state).magnitude.cpu().numpy().astype(np.float64)
