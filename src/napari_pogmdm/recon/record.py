"""What has to be known to repeat a run."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any

import torch

from napari_pogmdm.recon.measurement import Measurement

_PACKAGES = ("napari-pogmdm", "torch", "numpy", "scipy")


@dataclass(frozen=True)
class RunRecord:
    """How a reconstruction came about, as plain data.

    Attributes
    ----------
    method, settings
        What was run, with every setting spelled out.
    source, data_sha256
        Where the measured samples came from, and the hash of exactly those that were used, normalised as they were.
    mask
        Description of the mask; its edits by hand are listed one by one.
    coils
        Virtual and physical coils.
    steps, stopped
        Steps taken, and whether the run was cancelled before its end.
    sampler
        For sampled images: model, its hash, first seed, chains, and the coil start that was chosen.
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

    def to_json(self) -> str:
        """Write as JSON text."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> RunRecord:
        """Read what `to_json` wrote."""
        return cls(**json.loads(text))


def record_run(
    measurement: Measurement,
    method: str,
    settings: dict[str, Any],
    steps: int,
    *,
    stopped: bool,
    seconds: float,
    sampler: dict[str, Any] | None = None,
) -> RunRecord:
    """Collect everything about a finished run."""
    samples = torch.view_as_real(measurement.kspace).cpu().contiguous().numpy()
    mask = measurement.mask
    return RunRecord(
        method=method,
        settings=settings,
        source=measurement.source,
        data_sha256=hashlib.sha256(samples.tobytes()).hexdigest(),
        mask={
            "kind": mask.kind,
            "shape": list(mask.shape),
            "asked_acceleration": mask.asked_acceleration,
            "acceleration": mask.acceleration,
            "centre_fraction": mask.centre_fraction,
            "seed": mask.seed,
            "axis": mask.axis,
            "edits": list(mask.edits),
        },
        coils={
            "used": int(measurement.kspace.shape[0]),
            "physical": measurement.physical_coils,
            "kept_energy": measurement.kept_energy,
        },
        device=str(measurement.kspace.device),
        steps=steps,
        stopped=stopped,
        seconds=round(seconds, 3),
        versions={name: version(name) for name in _PACKAGES} | {"python": platform.python_version()},
        sampler=sampler or {},
    )
