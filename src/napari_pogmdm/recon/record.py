"""What must be known to repeat a run."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from typing import Any

import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.physics.masks.record import mask_to_record
from napari_pogmdm.physics.trajectories.record import trajectory_to_record
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.recon.measurement import Measurement

_PACKAGES = ("napari-pogmdm", "torch", "numpy", "scipy")


@dataclass(frozen=True)
class RunRecord:
    """How a reconstruction was made, as plain data.

    Attributes
    ----------
    method, settings
        What was run, with every setting spelled out, as it was when the run began.
    source, data_sha256
        Where the measured samples came from, for people, and the hash of exactly those that were used, normalised as
        they were.
    mask
        The mask (`mask_to_record`); its edits by hand are listed one by one. Empty for samples along a trajectory.
    coils
        Virtual and physical coils.
    device
        Where it was computed, as torch calls it.
    steps, stopped
        Steps taken, and whether the run was cancelled before its end.
    seconds
        From the call to the finished image.
    versions
        Of Python, of this package and of those that compute.
    sampler
        For sampled images: model, its hash, first seed, chains, the coil start, and what else the data chose
        (`Choices`).
    scan
        ``scan``, which `open_scan` takes, and ``index`` of the slice; empty for data that existed only in memory.
    preparation
        Virtual coils, prewhitening, padding and noise floor as they were asked for (`Preparation`).
    changes
        Settings that were changed during the run (`Change`).
    trajectory
        The trajectory (`trajectory_to_record`); empty for samples on the grid.
    """

    method: str
    settings: dict[str, Any]
    source: str
    data_sha256: str
    mask: dict[str, Any]
    coils: dict[str, Any]
    device: str
    steps: int
    stopped: bool
    seconds: float
    versions: dict[str, str] = field(default_factory=dict)
    sampler: dict[str, Any] = field(default_factory=dict)
    scan: dict[str, Any] = field(default_factory=dict)
    preparation: dict[str, Any] = field(default_factory=dict)
    changes: list[dict[str, Any]] = field(default_factory=list)
    trajectory: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Write as JSON text."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunRecord:
        """Read a record from plain data; what else stands beside it, such as metrics, is left out."""
        names = {one.name: one for one in fields(cls)}
        try:
            record = cls(**{name: value for name, value in data.items() if name in names})
        except (TypeError, AttributeError) as error:
            raise InputError("record: is not laid out like the record of a run.") from error
        for name in ("settings", "mask", "coils", "sampler", "scan", "preparation", "trajectory"):
            if not isinstance(getattr(record, name), dict):
                raise InputError(f"record: {name} is not laid out like that of a run.")
        words = (record.method, record.source, record.data_sha256, record.device)
        numbers = (record.steps, record.seconds)
        if (
            not isinstance(record.changes, list)
            or not all(isinstance(word, str) for word in words)
            or not all(isinstance(number, int | float) and number >= 0 for number in numbers)
        ):
            raise InputError("record: is not laid out like the record of a run.")
        return record

    @classmethod
    def from_json(cls, text: str) -> RunRecord:
        """Read what `to_json` wrote."""
        return cls.from_dict(json.loads(text))


def data_hash(measurement: Measurement) -> str:
    """Name measured samples by their numbers, normalised as they are."""
    samples = torch.view_as_real(measurement.kspace).cpu().contiguous().numpy()
    return hashlib.sha256(samples.tobytes()).hexdigest()


def record_run(
    measurement: Measurement,
    method: str,
    settings: dict[str, Any],
    steps: int,
    *,
    stopped: bool,
    seconds: float,
    sampler: dict[str, Any] | None = None,
    changes: Sequence[dict[str, Any]] = (),
) -> RunRecord:
    """Collect everything about a finished run.

    Parameters
    ----------
    measurement
        What was reconstructed from.
    method, settings
        What was run, with every setting, as it was when the run began.
    steps
        Taken.
    stopped
        Whether it was cancelled before its end.
    seconds
        It took.
    sampler
        Of sampled images: model, its hash, first seed, chains and coil start.
    changes
        Settings that were changed on the way, as plain data.
    """
    sampling = measurement.sampling
    return RunRecord(
        method=method,
        settings=settings,
        source=measurement.source,
        data_sha256=data_hash(measurement),
        mask=mask_to_record(sampling) if isinstance(sampling, Mask) else {},
        coils={
            "used": measurement.coils,
            "physical": measurement.physical_coils,
            "kept_energy": measurement.kept_energy,
        },
        device=str(measurement.kspace.device),
        steps=steps,
        stopped=stopped,
        seconds=round(seconds, 3),
        versions={name: version(name) for name in _PACKAGES} | {"python": platform.python_version()},
        sampler=sampler or {},
        scan={} if measurement.origin is None else measurement.origin.to_dict(),
        preparation=asdict(measurement.preparation),
        changes=list(changes),
        trajectory=trajectory_to_record(sampling) if isinstance(sampling, Trajectory) else {},
    )
