"""Many scans, masks and methods: one row of numbers for each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm import __version__
from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.data.dimensions import middle_of
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.method_names import SamplerMethod, check_method, parse_rival, parse_sampler, run_method
from napari_pogmdm.evaluation.peers import PEERS, run_peer
from napari_pogmdm.evaluation.rival_choices import rival_fingerprint
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import load_prior, parameter_hash
from napari_pogmdm.reading import is_file
from napari_pogmdm.recon.coils.null_space import full_coil_images, relative_residual
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.defaults import DEFAULT_COILS
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampling.recipe import recipe_from_code
from napari_pogmdm.runtime.pool.pool import unwanted

PROTOCOL_NOISE = 0.02  # the paper's synthetic protocol: per component, in units of the image's maximum


@dataclass(frozen=True)
class Cell:
    """One cell of the table: a scan, a mask code, a method, and how it is run.

    Attributes
    ----------
    file
        What `open_scan` takes; the middle slice is used.
    mask
        Code such as ``C4/8``, as `recipe_from_code` reads it.
    method
        Name of a classical method or of a peer, or ``pogmdm[:model[:preset[:chains]]]``.
    chains, seed
        Of a sampler; the seed also makes the noise of the single-coil protocol.
    coils
        Virtual coils to compress to, as `virtual_coils` reads them.
    single_coil
        Whether the reference image is scanned anew by one coil, see `load_case`.
    device
        Where to compute.
    null_space
        Whether coils are judged against the complete scan, too.
    """

    file: str
    mask: str
    method: str
    chains: int = 1
    seed: int = 0
    coils: int = DEFAULT_COILS
    single_coil: bool = False
    device: str = "cpu"
    null_space: bool = False

    @property
    def key(self) -> str:
        """Name of the cell and of all that its numbers depend on; a finished one is not computed again."""
        sampler = parse_sampler(self.method, self.chains, self.seed, single_coil=self.single_coil)
        cell = asdict(self)
        if sampler is None:
            cell |= {"chains": 1, "seed": self.seed if self.single_coil else 0}
        facts: list[Any] = [cell, __version__]
        if sampler is not None:
            facts += [sampler.settings.to_dict(), parameter_hash(load_prior(sampler.model))]
        rival = parse_rival(self.method)
        if rival is not None:
            facts += [self.seed, rival_fingerprint(*rival)]
        if is_file(self.file):
            facts += [Path(self.file).stat().st_size, Path(self.file).stat().st_mtime]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]

    def check(self) -> None:
        """Refuse a cell that cannot be computed, before any work is done."""
        recipe_from_code(self.mask).make_for((64, 64))
        if self.method not in PEERS:
            check_method(self.method)
        open_scan(self.file)


@dataclass(frozen=True, eq=False)
class CellResult:
    """A finished cell.

    Attributes
    ----------
    row
        What was asked for and the numbers that came out, or ``error`` with a sentence.
    image
        (rows, columns) magnitude in the units of the file; ``None`` if it failed.
    """

    row: dict[str, Any]
    image: NDArray[np.float32] | None


def load_slice(source: str) -> Acquisition:
    """Read the middle slice of a scan."""
    scan = open_scan(source)
    return scan[middle_of(scan)]


def load_case(cell: Cell, acquisition: Acquisition | None = None) -> tuple[Acquisition, Measurement, FloatImage]:
    """Undersample the cell's slice; give the slice, its measurement and its reference.

    In the single-coil protocol, the reference image itself, scaled to a maximum of 1, is scanned by one coil that is 1
    everywhere, with complex noise of standard deviation 0.02 per component.

    Parameters
    ----------
    cell
        What is asked for.
    acquisition
        The slice, where it has been read already.
    """
    if acquisition is None:
        acquisition = load_slice(cell.file)
    reference, name = reference_image(acquisition), Path(cell.file).name
    if reference is None:
        raise InputError(f"{name}: has no full scan to compare with; evaluate needs training or validation files.")
    if cell.single_coil:
        acquisition = simulate_scan(reference, coils=1, noise=PROTOCOL_NOISE, seed=cell.seed, name=name)
        reference = reference_image(acquisition)
        assert reference is not None
    sampling = recipe_from_code(cell.mask).make(acquisition)
    return acquisition, undersample(acquisition, sampling, coils=cell.coils, device=cell.device), reference


@dataclass(frozen=True, eq=False)
class CellJob:
    """A cell with what a worker needs that may not see the files of the computer that asks.

    Attributes
    ----------
    cell
        To compute.
    key
        Its name.
    source
        Its scan, by a name that holds in any folder.
    sampler
        What its method means, where that is a sampler.
    acquisition
        Its slice; ``None`` lets the worker read it.
    refused
        Why the slice could not be read.
    """

    cell: Cell
    key: str
    source: str
    sampler: SamplerMethod | None = None
    acquisition: Acquisition | None = None
    refused: str = ""

    @classmethod
    def of(cls, cell: Cell, *, read: bool = False) -> CellJob:
        """Make the job of a cell, and read its slice for the worker if ``read`` says so."""
        sampler = parse_sampler(cell.method, cell.chains, cell.seed, single_coil=cell.single_coil)
        source = str(Path(cell.file).absolute()) if is_file(cell.file) else cell.file
        try:
            return cls(cell, cell.key, source, sampler, load_slice(source) if read else None)
        except InputError as error:
            return cls(cell, cell.key, source, sampler, refused=str(error))


def run_cell(job: CellJob, priors: Mapping[str, ScorePrior]) -> CellResult:
    """Compute one cell; one that fails becomes a row that says why.

    Parameters
    ----------
    job
        The cell.
    priors
        By the name that samplers know them by; others are loaded.
    """
    try:
        return _compute(job, priors)
    except (InputError, MemoryError) as error:
        return CellResult({**asdict(job.cell), "key": job.key, "error": str(error) or "the memory is full"}, None)


def _compute(job: CellJob, priors: Mapping[str, ScorePrior]) -> CellResult:
    cell = job.cell
    if job.refused:
        raise InputError(job.refused)
    sent = load_slice(job.source) if job.acquisition is None else job.acquisition
    acquisition, measurement, reference = load_case(cell, sent)
    extra: dict[str, float] = {}
    if cell.method in PEERS:
        peer = run_peer(cell.method, measurement, reference)
        image, scores = peer.image, peer.metrics
        seconds, setting = peer.seconds, f"{peer.setting:g} (oracle)"
    else:
        result = _run(job, priors, measurement, reference)
        image, seconds = result.image, result.record.seconds
        scores = metrics(reference, image, data_range=1.0 if cell.single_coil else None)
        setting = ""
        if cell.null_space and result.own_coils is not None and measurement.coils > 1:
            extra = _judge_coils(acquisition, measurement, torch.from_numpy(result.own_coils))
    row = {**asdict(cell), **asdict(scores), "seconds": seconds, "setting": setting, **extra, "key": job.key}
    return CellResult(row, image)


def _judge_coils(acquisition: Acquisition, measurement: Measurement, coils: Tensor) -> dict[str, float]:
    """Null-space residuals of the coils that a method found, and of ESPIRiT's where the mask lets it calibrate."""
    images = full_coil_images(acquisition, measurement)
    found = {"coil_residual": relative_residual(coils if coils.ndim == 3 else coils[0], images)}
    with suppress(InputError):
        found["espirit_residual"] = relative_residual(starting_coils(measurement, "espirit"), images)
    return found


def _run(
    job: CellJob, priors: Mapping[str, ScorePrior], measurement: Measurement, reference: FloatImage
) -> Reconstruction:
    cell, sampler = job.cell, job.sampler
    if sampler is not None:
        return sampler.run(measurement, cancelled=unwanted, prior=priors.get(sampler.model))
    if cell.single_coil and cell.method == "tv":
        return max(
            (reconstruct(measurement, Method.TV, weight=0.01 * 2**step, real=True) for step in range(-3, 4)),
            key=lambda result: metrics(reference, result.image, data_range=1.0).psnr,
        )
    return run_method(cell.method, measurement, cancelled=unwanted)
