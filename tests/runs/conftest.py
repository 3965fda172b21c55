"""Finished runs of every kind, with their records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import h5py
import numpy as np
import pytest

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.chains import FinishedChains
from napari_pogmdm.recon.sampler.changes import Change
from napari_pogmdm.recon.sampler.choices.choose import settled
from napari_pogmdm.recon.sampler.moments import Moments
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.sample import record_of, result_of
from napari_pogmdm.recon.sampling.mask_recipe import file_mask

SETTINGS = replace(preset("default"), iterations=3, update_coils=False)


def _sampled(scan: str, index: int = 1, **options) -> Reconstruction:
    acquisition = open_scan(scan)[index]
    mask = make_mask("cartesian", acquisition.shape, 2, 0.2, seed=7, axis="rows")
    measurement = undersample(acquisition, mask, coils=3, exclude_padding=True, noise_floor=False)
    return reconstruct(measurement, model=load_prior("flf-tc"), preset=SETTINGS, chains=2, seed=5, **options)


def _drawn(scan: str) -> Reconstruction:
    acquisition = open_scan(scan)[0]
    mask = make_mask("radial", acquisition.shape, 3)
    samples = mask.samples.copy()
    samples[3:5] = True
    measurement = undersample(acquisition, mask.edited(samples, "painted 2 rows"))
    changes = [Change(1, 1, "prior_weight", 2.0)]
    return reconstruct(measurement, model=load_prior("flf-tc"), preset=SETTINGS, chains=2, changes=changes)


def _stopped(scan: str) -> Reconstruction:
    """Leave the first chain after two of three iterations, as somebody at a window may do."""
    acquisition = open_scan(scan)[0]
    measurement = undersample(acquisition, make_mask("cartesian", acquisition.shape, 2, 0.2))
    prior = load_prior("flf-tc")
    request = settled(RunRequest(measurement, prior, SETTINGS, seed=3))
    sampler = make_sampler(measurement, prior, request.settings, (3,))
    state = sampler.step(sampler.step(sampler.start()))
    nothing = FinishedChains(Moments.empty(measurement.shape))
    ended = nothing.add(sampler.estimate(state), float(sampler.found_noise(state)[0]), state.coils[0])
    return result_of(request, ended, record_of(request, ended, steps=state.iteration, stopped=True, seconds=1.0))


def _classical(scan: str) -> Reconstruction:
    acquisition = open_scan(scan)[0]
    measurement = undersample(acquisition, make_mask("fastmri-random", acquisition.shape, 2, 0.1, 1), prewhiten=True)
    return reconstruct(measurement, "tv", steps=4, weight=0.01)


def _own_mask(scan: str) -> Reconstruction:
    with h5py.File(scan, "a") as file:
        file.create_dataset("mask", data=np.arange(40) % 3 != 1)
    acquisition = open_scan(scan)[0]
    return reconstruct(undersample(acquisition, file_mask(acquisition)), "zero-filled")


RUNS = {"sampled": _sampled, "drawn": _drawn, "stopped": _stopped, "classical": _classical, "own mask": _own_mask}


@pytest.fixture(params=RUNS)
def done(request, fastmri_file) -> Reconstruction:
    """A finished run on a file whose name needs quoting."""
    return RUNS[request.param](str(fastmri_file("it's a scan; $HOME.h5")))


@pytest.fixture
def sampled() -> Callable[..., Reconstruction]:
    """Two short chains on a slice of a scan, with every option of the preparation away from its default."""
    return _sampled
