"""Masks in records: the recipe as plain data or, where there is none, the packed samples, and back."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import FILE_EDIT, Mask, Samples
from napari_pogmdm.physics.masks.names import MaskKind

_LARGEST_SIDE = 16_384  # samples, far beyond any scan; it bounds what a forged record can make the program allocate
_POISSON_RULE = 2  # the one without steps in the density; records of version 0.1 name none
_FIELDS = ("asked_acceleration", "centre_fraction", "seed", "axis")


def mask_to_record(mask: Mask) -> dict[str, Any]:
    """Describe a mask so that `mask_from_record` makes it again.

    Masks that no rule makes, and those that were changed by hand, have their samples in it: bits, packed, deflated and
    in base64.
    """
    record: dict[str, Any] = {"kind": mask.kind, "shape": list(mask.shape), "acceleration": mask.acceleration}
    record |= {name: getattr(mask, name) for name in _FIELDS}
    record["edits"] = list(mask.edits)
    if mask.kind == MaskKind.POISSON:
        record["rule"] = _POISSON_RULE
    if mask.kind not in {*MaskKind} or set(mask.edits) - {FILE_EDIT}:
        record["samples"] = base64.b64encode(zlib.compress(np.packbits(mask.samples).tobytes(), 9)).decode()
    return record


def mask_from_record(record: Mapping[str, Any], shape: tuple[int, int] | None = None) -> Mask:
    """Make a mask again.

    Parameters
    ----------
    record
        What `mask_to_record` made.
    shape
        Of another scan, for which the recipe is followed anew; by default that of the record.

    Raises
    ------
    InputError
        If the record is not one of a mask, or its samples do not fit the shape it states.
    """
    try:
        rows, columns = record["shape"]
        stated = (rows, columns)
        if not all(isinstance(side, int) and 1 <= side <= _LARGEST_SIDE for side in stated):
            raise InputError(f"mask: the record states the shape {str(stated)[:60]}, which is not one of a scan.")
        kind = str(record["kind"])
        facts = {name: record.get(name) for name in _FIELDS}
        if record.get("samples") is not None:
            edits = tuple(str(edit) for edit in record.get("edits", ()))
            return Mask(_unpack(str(record["samples"]), stated), kind, **_checked(facts), edits=edits)
        if kind not in {*MaskKind}:
            raise InputError(f"mask: the record of a {kind!r} mask holds no samples; give the mask as a file.")
        if kind == MaskKind.POISSON and record.get("rule") != _POISSON_RULE:
            raise InputError(
                "mask: Poisson-disc masks of version 0.1 are now drawn differently; give that mask as a file."
            )
        asked = {name: value for name, value in _checked(facts).items() if value is not None}
        acceleration = asked.pop("asked_acceleration", None)
        if acceleration is None:
            raise InputError("mask: the record does not say which acceleration was asked for.")
        return make_mask(kind, shape or stated, acceleration, **asked)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise InputError("mask: the record is not laid out like that of a mask.") from error


def _checked(facts: Mapping[str, Any]) -> dict[str, Any]:
    kinds = {"asked_acceleration": float, "centre_fraction": float, "seed": int, "axis": str}
    return {name: None if value is None else kinds[name](value) for name, value in facts.items()}


def _unpack(text: str, shape: tuple[int, int]) -> Samples:
    """Inflate no more than the stated shape needs."""
    count = shape[0] * shape[1]
    expected = -(-count // 8)
    inflater = zlib.decompressobj()
    try:
        packed = inflater.decompress(base64.b64decode(text, validate=True), expected + 1)
    except (zlib.error, binascii.Error, ValueError) as error:
        raise InputError("mask: the packed samples of the record are damaged; save the record again.") from error
    if len(packed) != expected or inflater.unconsumed_tail:
        raise InputError(f"mask: the packed samples of the record do not fit its shape {shape[0]} x {shape[1]}.")
    return np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=count).astype(bool).reshape(shape)
