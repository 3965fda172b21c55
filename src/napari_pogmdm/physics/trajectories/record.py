"""Trajectories as plain data in the record of a run, and back."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.names import OWN
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.physics.trajectories.names import TrajectoryKind
from napari_pogmdm.physics.trajectories.trajectory import Trajectory

_LARGEST_SIDE = 16_384  # pixels, far beyond any scan; it bounds what a forged record can make the program allocate
_MOST_SAMPLES = 2**24  # of one slice, far beyond any scan; the same


def trajectory_to_record(trajectory: Trajectory) -> dict[str, Any]:
    """Describe a trajectory so that `trajectory_from_record` makes it again.

    One that a scan brings is named by its hash, as the scan has it; one that neither a rule makes nor a scan brings has
    its places in it: single precision, deflated and in base64.
    """
    record: dict[str, Any] = {
        "kind": trajectory.kind,
        "shape": list(trajectory.shape),
        "samples": len(trajectory.positions),
        "readouts": trajectory.asked_readouts,
        "oversampling": trajectory.oversampling,
        "acceleration": trajectory.acceleration,
        "sha256": _hash(trajectory.positions),
    }
    if trajectory.kind not in {*TrajectoryKind, OWN}:
        plain = np.ascontiguousarray(trajectory.positions, dtype="<f4").tobytes()
        record["positions"] = base64.b64encode(zlib.compress(plain, 9)).decode()
    return record


def trajectory_from_record(
    record: Mapping[str, Any], shape: tuple[int, int] | None = None, own: NDArray[np.float32] | None = None
) -> Trajectory:
    """Make a trajectory again.

    Parameters
    ----------
    record
        What `trajectory_to_record` made.
    shape
        Of another scan, for which the rule is followed anew; by default that of the record.
    own
        Places (samples, 2) that the scan brings, where it does.
    """
    try:
        stated = (int(record["shape"][0]), int(record["shape"][1]))
        if len(record["shape"]) != 2 or not all(1 <= side <= _LARGEST_SIDE for side in stated):
            raise InputError(f"trajectory: the record states the shape {stated}, which is not one of a scan.")
        kind = str(record["kind"])
        if kind in {*TrajectoryKind}:
            return make_trajectory(
                kind, shape or stated, int(record["readouts"]), oversampling=float(record["oversampling"])
            )
        if kind == OWN:
            if own is None:
                raise InputError("trajectory: the record refers to the scan's own, but this scan has none.")
            return Trajectory(own, shape or stated, kind)
        places = _unpack(str(record["positions"]), int(record["samples"]))
        return Trajectory(places, shape or stated, kind)
    except (KeyError, TypeError, IndexError, AttributeError, OverflowError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("trajectory: the record is not laid out like that of a trajectory.") from error


def _hash(positions: NDArray[np.float32]) -> str:
    return hashlib.sha256(np.ascontiguousarray(positions, dtype="<f4").tobytes()).hexdigest()


def _unpack(text: str, samples: int) -> NDArray[np.float32]:
    """Inflate no more than the stated number of samples needs."""
    if not 1 <= samples <= _MOST_SAMPLES:
        raise InputError(f"trajectory: the record states {samples} samples, which is not a number of one scan.")
    expected = 8 * samples
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(base64.b64decode(text, validate=True), expected + 1)
    except (zlib.error, binascii.Error, ValueError) as error:
        raise InputError(
            "trajectory: the packed positions of the record are damaged; save the record again."
        ) from error
    if len(plain) != expected or inflater.unconsumed_tail:
        raise InputError(f"trajectory: the packed positions of the record are not those of {samples} samples.")
    return np.frombuffer(plain, dtype="<f4").reshape(samples, 2).astype(np.float32)
