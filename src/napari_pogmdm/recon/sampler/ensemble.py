"""Running all chains of a request without a window, with a store from which an interrupted run goes on."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.files import whole_file
from napari_pogmdm.prior.weights import parameter_hash
from napari_pogmdm.reading import read_archive
from napari_pogmdm.recon.sampler.chains import Chains, FinishedChains
from napari_pogmdm.recon.sampler.memory import chains_that_fit
from napari_pogmdm.recon.sampler.moments import Moments
from napari_pogmdm.recon.sampler.pooled_chains import chains_of_pool
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.stepper import CancelCheck, Progress
from napari_pogmdm.runtime.pool.pool import Pool

_STORED = ("count", "noise", "mean", "deviations", "image", "coils")


def run_ensemble(
    request: RunRequest,
    *,
    store: Path | None = None,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
    pool: Pool | None = None,
) -> tuple[FinishedChains, bool]:
    """Run all chains of a request.

    Parameters
    ----------
    request
        What to run; with changes on the way, chains run one by one.
    store
        File that holds what is finished after each batch; a run that finds its own goes on after the chains it counts.
    progress
        Called with the iterations done and the iterations in all.
    cancelled
        Asked before every iteration and inside long ones; chains in flight are then dropped, finished ones kept.
    pool
        Where chains run side by side, each a job of its own, with the same bits; ``None`` runs them here.

    Returns
    -------
    What the finished chains left behind, and whether the run was stopped before its end.
    """
    name = "" if store is None else fingerprint(request)
    finished = _load(store, name, request)
    stopped = request.stop_after is not None
    if finished.moments.count >= request.chains:
        return finished, stopped
    together = 1 if request.changes else chains_that_fit(request.measurement)
    try:
        _stop_if(cancelled)
        if pool is not None and not pool.here and not request.changes:
            for finished in chains_of_pool(request, finished, pool):  # noqa: B020 - it goes on from what is finished
                _save(store, name, finished)
                if progress is not None:
                    progress(finished.moments.count, request.chains)
                if finished.moments.count < request.chains:
                    _stop_if(cancelled)
            return finished, stopped
        chains = Chains(request, finished, together=together, cancelled=cancelled)
        while not chains.finished:
            chains.step()
            if progress is not None:
                done = chains.chain * chains.sampler.steps + chains.state.iteration * chains.side_by_side
                progress(done, request.chains * chains.sampler.steps)
            if chains.chain_finished:
                finished = chains.so_far
                _save(store, name, finished)
            if not chains.finished:
                _stop_if(cancelled)
    except Cancelled:
        return finished, True
    return finished, stopped


def _stop_if(cancelled: CancelCheck | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled


def fingerprint(request: RunRequest) -> str:
    """Name everything that the chains depend on, but how many they are."""
    changes = [change.to_dict() for change in request.changes]
    settings = request.settings.to_dict()
    del settings["choose"]  # nothing is left to choose
    facts = [settings, request.seed, parameter_hash(request.prior), changes]
    facts += [None if request.maps is None else request.maps.sha256, request.stop_after]
    digest = hashlib.sha256(json.dumps(facts).encode())
    digest.update(torch.view_as_real(request.measurement.kspace).cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _save(store: Path | None, name: str, finished: FinishedChains) -> None:
    if store is None or finished.image is None or finished.coils is None:
        return
    moments = finished.moments
    with whole_file(store) as stream:
        np.savez(
            stream,
            name=name,
            count=moments.count,
            mean=moments.mean,
            deviations=moments.deviations,
            noise=moments.noise,
            image=finished.image.cpu().numpy(),
            coils=finished.coils.cpu().numpy(),
        )


def _load(store: Path | None, name: str, request: RunRequest) -> FinishedChains:
    if store is None or not store.exists():
        return FinishedChains(Moments.empty(request.measurement.shape))
    saved = read_archive(store, "ensemble file", ("name", *_STORED))
    if str(saved["name"]) != name:
        raise InputError(f"{store}: belongs to another run; remove it or name another file.")
    _check_stored(saved, request, store)
    count, noise = int(saved["count"]), float(saved["noise"])
    if count > request.chains:
        raise InputError(
            f"{store}: holds {count} chains, but {request.chains} are asked for; ask for as many, or name another file."
        )
    device = request.measurement.kspace.device
    image, coils = (torch.from_numpy(saved[key].copy()).to(device) for key in ("image", "coils"))
    return FinishedChains(Moments(count, saved["mean"], saved["deviations"], noise), image, coils)


def _check_stored(saved: dict[str, NDArray[Any]], request: RunRequest, store: Path) -> None:
    """Hold what was stored against the run that it claims to continue."""
    shape = request.measurement.shape
    coils = tuple(request.measurement.kspace.shape)
    kinds = {"count": "i", "noise": "f", "mean": "f", "deviations": "f", "image": "fc", "coils": "c"}
    fits = (
        all(saved[name].dtype.kind in kind and np.isfinite(saved[name]).all() for name, kind in kinds.items())
        and saved["count"].shape == saved["noise"].shape == ()
        and saved["mean"].shape == saved["deviations"].shape == shape
        and saved["image"].shape[-2:] == shape
        and saved["coils"].shape[-3:] == coils
        and saved["image"].shape[:-2] == saved["coils"].shape[:-3]
        and saved["count"] >= 1
        and saved["noise"] >= 0
        and (saved["deviations"] >= 0).all()
    )
    if not fits:
        raise InputError(f"{store}: does not hold chains of this run; remove it to start again.")
