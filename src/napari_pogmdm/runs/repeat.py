"""Repeating a recorded run: reading its record and running it again."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.data.reading import ReadOptions
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.record import mask_from_record
from napari_pogmdm.physics.sampling import Sampling
from napari_pogmdm.physics.trajectories.record import trajectory_from_record
from napari_pogmdm.recon.coils.given import CoilMaps, load_coil_maps
from napari_pogmdm.recon.measurement import Measurement, Preparation, undersample
from napari_pogmdm.recon.method import RIVALS, Method
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.algorithms.by_name import noise_schedule
from napari_pogmdm.recon.sampler.changes import Change
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.stepper import CancelCheck, Progress


def repeat(
    record: RunRecord,
    source: str | None = None,
    *,
    device: str = "cpu",
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Reconstruction:
    """Run again what a record describes, or the same on another scan; the same kind of device gives the same bits.

    Parameters
    ----------
    record
        Record of the run.
    source
        Another scan, as `open_scan` takes it; ``None`` for the recorded one.
    device
        Where to compute.
    progress
        Called with the steps done and the number of all steps.
    cancelled
        Asked before every step.
    """
    measurement = measure_again(record, source, device)
    if record.method != Method.POGMDM:
        rival = rival_of(record)
        return reconstruct(
            measurement, record.method, progress=progress, cancelled=cancelled, **rival, **record.settings
        )
    model, chains, seed = sampler_of(record)
    settings = SamplerSettings.from_dict(record.settings)
    return reconstruct(
        measurement,
        model=model,
        preset=settings,
        chains=chains,
        seed=seed,
        changes=changes_of(record),
        maps=maps_of(record),
        stop_after=stop_of(record, settings),
        progress=progress,
        cancelled=cancelled,
    )


def measure_again(record: RunRecord, source: str | None = None, device: str = "cpu") -> Measurement:
    """Read the recorded slice, or that of another scan, and undersample it as it was."""
    acquisition = open_scan(source or scan_of(record), **reading_of(record).arguments())[slice_of(record)]
    sampling = sampling_of(record, acquisition)
    return undersample(acquisition, sampling, **asdict(preparation_of(record)), device=device)


def sampling_of(record: RunRecord, acquisition: Acquisition) -> Sampling:
    """Make the recorded mask or trajectory again, for its own slice or for another."""
    if record.trajectory:
        return trajectory_from_record(record.trajectory, acquisition.shape, acquisition.trajectory)
    return mask_from_record(record.mask, acquisition.shape)


def scan_of(record: RunRecord) -> str:
    """Say what `open_scan` takes to open the recorded scan."""
    scan = record.scan.get("scan")
    if not isinstance(scan, str) or not scan:
        raise InputError(f"record: does not say where {record.source!r} can be read again; name the scan.")
    return scan


def files_of(record: RunRecord) -> list[str]:
    """Give what a repeated run reads, as far as the record names it: scan, model and coil maps."""
    named = (record.scan.get("scan"), record.sampler.get("model"), record.sampler.get("coil_maps"))
    return [name for name in named if isinstance(name, str)]


def reading_of(record: RunRecord) -> ReadOptions:
    """Say how the recorded scan was read."""
    options = record.scan.get("options") or {}
    if not isinstance(options, dict):
        raise InputError("record: how the scan was read is not laid out as options are.")
    return ReadOptions.from_dict(options)


def slice_of(record: RunRecord) -> int:
    """Give the index of the recorded slice."""
    return _count(record.scan.get("index", 0), "index")


def preparation_of(record: RunRecord) -> Preparation:
    """Read how the samples were prepared."""
    found = record.preparation
    names = {field.name for field in fields(Preparation)}
    flags = [found.get(name) for name in ("prewhiten", "exclude_padding", "noise_floor")]
    coils = found.get("coils")
    if set(found) - names or not all(isinstance(flag, bool | None) for flag in flags):
        raise InputError(f"record: preparation is not laid out as {', '.join(sorted(names))}.")
    return Preparation(coils and _count(coils, "coils"), bool(flags[0]), bool(flags[1]), flags[2])


def sampler_of(record: RunRecord) -> tuple[str, int, int]:
    """Read model, chains and first seed."""
    facts = record.sampler
    return str(facts.get("model", "")), _count(facts.get("chains", 1), "chains"), _count(facts.get("seed", 0), "seed")


def rival_of(record: RunRecord) -> dict[str, Any]:
    """Read checkpoint and seed of a rival, as far as they are not the usual ones; other methods have neither."""
    model, _, seed = sampler_of(record)
    return (
        {name: value for name, value in (("model", model), ("seed", seed)) if value} if record.method in RIVALS else {}
    )


def changes_of(record: RunRecord) -> tuple[Change, ...]:
    """Read the settings that were changed on the way."""
    return tuple(Change.from_dict(change) for change in record.changes)


def maps_of(record: RunRecord) -> CoilMaps | None:
    """Read the coils that were given again, if there were any."""
    file = record.sampler.get("coil_maps")
    if file is None:
        return None
    maps = load_coil_maps(Path(str(file)))
    if maps.sha256 != record.sampler.get("coil_maps_sha256"):
        raise InputError(f"record: {file} no longer holds the coil maps of the run; name them with --coil-maps.")
    return maps


def stop_of(record: RunRecord, settings: SamplerSettings) -> int | None:
    """Say after how many iterations a run was left whose first chain was not done yet."""
    steps = _count(record.steps, "steps")
    unfinished = record.stopped and record.method == Method.POGMDM and sampler_of(record)[1] == 1
    return steps if unfinished and 0 < steps < len(noise_schedule(settings)) - 1 else None


def _count(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(f"record: {name} is {value!r}, which is not a whole number from 0.")
    return value
