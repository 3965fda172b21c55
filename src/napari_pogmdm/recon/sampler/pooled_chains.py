"""Chains as jobs of a pool: each runs alone, and they are counted in their order, so that bits stay the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.recon.sampler.chains import Chains, FinishedChains
from napari_pogmdm.recon.sampler.choices.choose import settled
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.runtime.pool.pool import Lost, Pool, run_jobs, unwanted


@dataclass(frozen=True, eq=False)
class ChainResult:
    """What one chain sends back.

    Attributes
    ----------
    magnitude
        (rows, columns) |x| RSS(s).
    noise
        That it found in the data.
    image, coils
        Of the first chain alone, see `FinishedChains`.
    """

    magnitude: NDArray[np.float64]
    noise: float
    image: Tensor | None = None
    coils: Tensor | None = None


def chains_of_pool(request: RunRequest, finished: FinishedChains, pool: Pool) -> Iterator[FinishedChains]:
    """Run the chains that are missing, and give what is finished after each.

    Parameters
    ----------
    request
        Without changes on the way, which later chains would inherit.
    finished
        Chains that are done already.
    pool
        Where chains run.
    """
    request = settled(request)
    numbers = range(finished.moments.count, request.chains)
    for _, found in run_jobs(pool, run_chain, numbers, replace(request, reference=None)):
        if isinstance(found, Lost):
            raise InputError(f"chain {found.job}: {found.reason}; is there enough memory?")
        moments = finished.moments.add(found.magnitude, found.noise)
        first = finished.image is None
        image, coils = (found.image, found.coils) if first else (finished.image, finished.coils)
        finished = FinishedChains(moments, image, coils)
        yield finished


def run_chain(number: int, request: RunRequest) -> ChainResult:
    """Run one chain of a request, on a worker.

    Parameters
    ----------
    number
        Of the chain, from 0.
    request
        With all chains.
    """
    chains = Chains(replace(request, chains=1, seed=request.seed + number), cancelled=unwanted)
    while not chains.finished:
        if unwanted():
            raise Cancelled
        chains.step()
    done = chains.so_far
    first = number == 0
    return ChainResult(
        done.moments.mean, done.moments.noise, done.image if first else None, done.coils if first else None
    )
