"""Many scans, masks and methods: one row of figures for each."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm import __version__
from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.peers import PEERS, run_peer
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.classical.tv import TvSettings
from napari_pogmdm.recon.coils.null_space import full_coil_images, relative_residual
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.mask_codes import mask_from_code
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample
from napari_pogmdm.recon.methods import check_method, parse_sampler, run_method, run_sampler
from napari_pogmdm.recon.metrics import compare
from napari_pogmdm.recon.result import Reconstruction, reconstruct
from napari_pogmdm.recon.sampler.ensemble import parameter_hash

PROTOCOL_NOISE = 0.02


@dataclass(frozen=True)
class Job:
    """One cell of the table: a scan, a mask code, a method, and how it is run."""

    file: str
    mask: str
    method: str
    chains: int = 1
    seed: int = 0
    coils: int = 8
    single_coil: bool = False
    device: str = "cpu"
    null_space: bool = False

    @property
    def key(self) -> str:
        """Name of the cell and of all that its figures depend on; a finished one is not computed again."""
        sampler = parse_sampler(self.method, self.chains, self.seed, single_coil=self.single_coil)
        cell = asdict(self)
        if sampler is None:
            cell |= {"chains": 1, "seed": self.seed if self.single_coil else 0}
        facts: list[Any] = [cell, __version__]
        if sampler is not None:
            facts += [sampler.settings.to_dict(), parameter_hash(load_prior(sampler.model))]
        if Path(self.file).is_file():
            facts += [Path(self.file).stat().st_size, Path(self.file).stat().st_mtime]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]

    def check(self) -> None:
        """Refuse a cell that cannot be computed, before any work is done."""
        mask_from_code(self.mask, (64, 64))
        if self.method not in PEERS:
            check_method(self.method)
        open_scan(self.file)


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished cell: its row of figures, and its image; none if it failed."""

    row: dict[str, Any]
    image: NDArray[np.float32] | None


def load_case(job: Job) -> tuple[Acquisition, Measurement, NDArray[np.float32]]:
    """Undersample the middle slice of the job's scan; give the slice, its measurement and its reference.

    In the single-coil protocol, the reference image itself, scaled to a maximum of 1, is scanned by one coil that is 1
    everywhere, with complex noise of standard deviation 0.02 per component.
    """
    scan = open_scan(job.file)
    acquisition: Acquisition = scan[len(scan) // 2]
    reference = reference_image(acquisition)
    if reference is None:
        raise InputError(f"{scan.name}: has no full scan to compare with; evaluate needs training or validation files.")
    if job.single_coil:
        acquisition = simulate_scan(reference, coils=1, noise=PROTOCOL_NOISE, seed=job.seed, name=scan.name)
        reference = reference_image(acquisition)
        assert reference is not None
    mask = mask_from_code(job.mask, acquisition.shape)
    return acquisition, undersample(acquisition, mask, coils=job.coils or None, device=job.device), reference


def run_job(job: Job) -> Outcome:
    """Compute one cell; one that fails becomes a row that says why."""
    try:
        return _compute(job)
    except InputError as error:
        return Outcome({**asdict(job), "key": job.key, "error": str(error)}, None)


def _compute(job: Job) -> Outcome:
    acquisition, measurement, reference = load_case(job)
    extra: dict[str, float] = {}
    if job.method in PEERS:
        peer = run_peer(job.method, measurement, reference)
        image, scores = peer.image, peer.metrics
        seconds, setting = peer.seconds, f"{peer.setting:g} (oracle)"
    else:
        result = _run(job, measurement, reference)
        image, seconds = result.image, result.record.seconds
        scores = compare(reference, image, data_range=1.0 if job.single_coil else None)
        setting = ""
        if job.null_space and result.coils is not None and measurement.kspace.shape[0] > 1:
            extra = _judge_coils(acquisition, measurement, torch.from_numpy(result.coils))
    row = {**asdict(job), **asdict(scores), "seconds": seconds, "setting": setting, **extra, "key": job.key}
    return Outcome(row, image)


def _judge_coils(acquisition: Acquisition, measurement: Measurement, coils: Tensor) -> dict[str, float]:
    """Null-space residuals of the coils that a method found, and of ESPIRiT's where the mask lets it calibrate."""
    images = full_coil_images(acquisition, measurement)
    found = {"coil_residual": relative_residual(coils if coils.ndim == 3 else coils[0], images)}
    with suppress(InputError):
        found["espirit_residual"] = relative_residual(starting_coils(measurement, "espirit"), images)
    return found


def _run(job: Job, measurement: Measurement, reference: NDArray[np.float32]) -> Reconstruction:
    if not job.single_coil:
        return run_method(job.method, measurement, chains=job.chains, seed=job.seed)
    sampler = parse_sampler(job.method, job.chains, job.seed, single_coil=True)
    if sampler is not None:
        return run_sampler(sampler, measurement)
    if job.method == "tv":
        return max(
            (reconstruct(measurement, "tv", TvSettings(weight=0.01 * 2**step, real=True)) for step in range(-3, 4)),
            key=lambda result: compare(reference, result.image, data_range=1.0).psnr,
        )
    return run_method(job.method, measurement)
