"""The chains of a run, one after the other or a few side by side: the one loop that every run goes through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from torch import Tensor

from napari_pogmdm.recon.sampler.algorithms.base import Sampler
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.changes import Change, changed
from napari_pogmdm.recon.sampler.choices.choose import settled
from napari_pogmdm.recon.sampler.memory import check_memory
from napari_pogmdm.recon.sampler.moments import Moments
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.state import SamplerState
from napari_pogmdm.recon.stepper import Estimate
from napari_pogmdm.runtime.threads import fixed_blocks


@dataclass(frozen=True, eq=False)
class FinishedChains:
    """What finished chains leave behind.

    Attributes
    ----------
    moments
        Of |x| RSS(s) over chains.
    image
        Complex image x RSS(s) of the first chain, (rows, columns); ``None`` while there is none.
    coils
        Of the first chain, (coils, rows, columns); with several map sets (sets, coils, rows, columns).
    """

    moments: Moments
    image: Tensor | None = None
    coils: Tensor | None = None

    def add(self, estimate: Estimate, noise: float, coils: Tensor) -> FinishedChains:
        """Count one more chain, which ended with these coils and found this noise in the data."""
        moments = self.moments.add(estimate.magnitude.cpu().numpy().astype(np.float64), noise)
        if self.image is None or self.coils is None:
            return FinishedChains(moments, estimate.complex_image, coils)
        return FinishedChains(moments, self.image, self.coils)


class Chains:
    """The chains of a request.

    Settings can be changed between any two substeps, by `change` or because the request says so; changes stay in force
    for all later chains.

    Parameters
    ----------
    request
        What to run; what its settings leave open, the data choose before the first chain.
    finished
        Chains that are done already; the run goes on after them.
    together
        How many chains to run side by side.
    cancelled
        Asked inside long substeps; saying yes raises `Cancelled`.

    Attributes
    ----------
    request
        With nothing left to choose.
    sampler, state
        Of the chain, or chains, under way.
    settings
        In force at the moment.
    chain
        Number of the (first) chain under way, counted from 0.
    changes
        Made so far.
    so_far
        What the finished chains have left behind.
    """

    sampler: Sampler
    state: SamplerState

    @fixed_blocks()
    def __init__(
        self,
        request: RunRequest,
        finished: FinishedChains | None = None,
        *,
        together: int = 1,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        check_memory(request.measurement, request.settings.sets)
        self.request = request = settled(request, cancelled)
        self.so_far = finished or FinishedChains(Moments.empty(request.measurement.shape))
        self.chain = self.so_far.moments.count
        earlier = [change for change in request.changes if change.chain < self.chain]
        self.settings = self._requested = changed(request.settings, earlier)
        self.changes: list[Change] = list(earlier)
        self._together = together
        self._before = self.so_far
        self._plain = make_sampler(
            request.measurement,
            request.prior,
            request.settings,
            (request.seed,),
            None if request.maps is None else request.maps.on(request.measurement),
            cancelled=cancelled,
        )
        self._begin()

    @property
    def steps(self) -> int:
        """Iterations of one chain."""
        return self.request.stop_after or self.sampler.steps

    @property
    def side_by_side(self) -> int:
        """How many chains are under way."""
        return len(self.sampler.seeds)

    @property
    def chain_finished(self) -> bool:
        """Whether the chain under way has taken all of its iterations."""
        return self.state.iteration >= self.steps

    @property
    def finished(self) -> bool:
        """Whether all chains have."""
        return self.chain_finished and self.chain + self.side_by_side >= self.request.chains

    @property
    def moment(self) -> tuple[int, int, int]:
        """Chain, iteration and substep of the current state, in an order that can be compared."""
        return self.chain, self.state.iteration, self.state.substep

    @fixed_blocks()
    def substep(self) -> None:
        """Take the next line of the algorithm; after a chain's last, the next chain begins."""
        if self.finished:
            return
        if self.chain_finished:
            self._before = self.so_far
            self.chain += self.side_by_side
            self._begin()
        self._request_recorded_changes()
        self._adopt_requested()
        self.state = self.sampler.substep(self.state)
        if self.chain_finished:
            self._count()

    def step(self) -> None:
        """Finish the current iteration."""
        self.substep()
        while self.state.substep:
            self.substep()

    def change(self, name: str, value: Any) -> None:
        """Ask for another value of a live setting; it holds, and is noted, from the next substep on."""
        requested = replace(self._requested, **{name: value})
        self.sampler.with_settings(requested)
        self._requested = requested

    def _begin(self) -> None:
        last = min(self.request.chains, self.chain + self._together)
        seeds = range(self.request.seed + self.chain, self.request.seed + last)
        self.sampler = self._plain.with_seeds(seeds)
        if self.settings != self.request.settings:
            self.sampler = self.sampler.with_settings(self.settings)
        self.state = self.sampler.start()

    def _request_recorded_changes(self) -> None:
        begins = self.state.iteration == self.state.substep == 0
        for change in self.request.changes:
            if change.moment == self.moment or (begins and change.chain < self.chain):
                self._requested = changed(self._requested, [change])

    def _adopt_requested(self) -> None:
        """Let requested settings take effect at the current state, and note what changed."""
        if self.sampler.settings != self._requested:
            self.sampler = self.sampler.with_settings(self._requested)
        for field in fields(self._requested):
            value = getattr(self._requested, field.name)
            if value != getattr(self.settings, field.name):
                self.changes.append(Change(self.state.iteration, self.state.substep, field.name, value, self.chain))
        self.settings = self._requested

    def _count(self) -> None:
        """Count the chains under way as finished."""
        self.so_far = self._before
        for chain, noise in enumerate(self.sampler.found_noise(self.state)):
            estimate = self.sampler.estimate(self.state, chain)
            self.so_far = self.so_far.add(estimate, float(noise), self.state.coils[chain])
