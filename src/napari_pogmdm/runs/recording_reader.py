"""Reads recorded runs, which anybody may have made: sizes are checked before memory is taken for them."""

from __future__ import annotations

import json
import math
from importlib.resources import files
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.hdf5 import open_hdf5, plain_dataset
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.runs.recording import FORMAT, VERSION, Coding, Recording, RecordingFacts, Track
from napari_pogmdm.runs.recording_writer import COIL_ROLES, LARGEST_LIMIT, codings
from napari_pogmdm.runs.status import COLUMNS

ROLES = frozenset(codings(1.0))
# far beyond what any run makes, and small enough to be read without harm
_LARGEST_FILE = LARGEST_LIMIT + 2**20  # bytes
_LARGEST_FACTS = 16 * 2**20  # bytes
_LARGEST_SIDE = 4096  # pixels
_MOST_COILS = 128  # of a picture
_MOST_PIXELS = 2**25  # of all coils of a picture: 128 MB when unpacked
_MOST_FRAMES = 200_000  # an hour of a fast run
_MOST_MOMENTS = 200_000  # rows of the trace
_MOST_STEPS = 1_000_000  # iterations, and chains


def demo_recording() -> Path:
    """Where the recorded run of the bundled scan lies: Algorithm 1 from noise alone, which opens at once."""
    return Path(str(files("napari_pogmdm.data") / "demo" / "head_13_coils.pogmdm.h5"))


def read_recording(path: Path) -> Recording:
    """Read a recorded run into memory, where its pictures stay packed."""
    with open_hdf5(path) as file:
        _check_kind(file, path)
        size = path.stat().st_size
        if size > _LARGEST_FILE:
            raise InputError(f"{path.name}: is larger than any recorded run ({_LARGEST_FILE // 2**20} MB at most).")
        try:
            facts = _read_facts(file, path)
            moments = _numbers(file, "moments", 1, _MOST_FRAMES, path)
            trace = _numbers(file, "trace", 2, _MOST_MOMENTS, path)
            fits = trace.shape[1] == len(COLUMNS) and np.isfinite(trace[:, :4]).all()
            if not len(moments) or not fits or not _within(moments, 0, len(trace)):
                raise InputError(f"{path.name}: its frames and its trace do not fit together; record the run again.")
            tracks = _tracks(file, facts.pop("tracks"), len(moments), size, path)
            return Recording(path.name, _checked_facts(facts), trace, moments.astype(np.int32), tracks)
        except InputError as error:
            text = str(error)
            raise InputError(text if text.startswith(path.name) else f"{path.name}: {text}") from error
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise InputError(f"{path.name}: is not laid out like a recorded run; record it again.") from error


def _check_kind(file: h5py.File, path: Path) -> None:
    kind, version = file.attrs.get("format"), file.attrs.get("version")
    if kind != FORMAT:
        raise InputError(f"{path.name}: is an HDF5 file but no recorded run; scans are opened in the Data dock.")
    if not isinstance(version, np.integer) or int(version) < 1:
        raise InputError(f"{path.name}: does not say which version of recorded runs it has; record the run again.")
    if int(version) != VERSION:
        raise InputError(
            f"{path.name}: has version {int(version)} of recorded runs, but this program reads version {VERSION}; "
            "use the program that wrote it or record the run again."
        )


def _read_facts(file: h5py.File, path: Path) -> dict[str, Any]:
    dataset = plain_dataset(file, "facts")
    if dataset is None or dataset.shape != () or h5py.check_string_dtype(dataset.dtype) is None:
        raise InputError(f"{path.name}: does not say how the run was set up; record it again.")
    if dataset.dtype.itemsize > _LARGEST_FACTS:
        raise InputError(f"{path.name}: its description is too long; record the run again.")
    facts = json.loads(dataset[()])
    if not isinstance(facts, dict) or not isinstance(facts.get("tracks"), dict):
        raise InputError(f"{path.name}: does not say how the run was set up; record it again.")
    return facts


def _numbers(file: h5py.File, name: str, axes: int, most: int, path: Path) -> NDArray[Any]:
    dataset = plain_dataset(file, name)
    if dataset is None or dataset.ndim != axes or dataset.dtype.kind not in "if":
        raise InputError(f"{path.name}: has no {name} where one is expected; record the run again.")
    if dataset.shape[0] > most or math.prod(dataset.shape[1:]) > len(COLUMNS):
        raise InputError(f"{path.name}: {name} has an absurd size {dataset.shape}.")
    return np.asarray(dataset[()])


def _checked_facts(values: dict[str, Any]) -> RecordingFacts:
    facts = RecordingFacts(**values)
    SamplerSettings.from_dict(dict(facts.settings))
    whole, pixel, plan = tuple(facts.whole), tuple(facts.pixel), tuple(facts.plan)
    numbers = (facts.white, *pixel)
    sensible = (
        len(whole) == len(pixel) == 2
        and all(isinstance(size, int) and 1 <= size <= _LARGEST_SIDE for size in whole)
        and all(isinstance(value, (int, float)) and math.isfinite(value) and value > 0 for value in numbers)
        and all(isinstance(count, int) and 0 <= count <= _MOST_STEPS for count in (facts.steps, facts.chains))
        and all(isinstance(text, str) for text in (facts.source, facts.mask, facts.model, *plan))
        and isinstance(facts.record, dict | None)
    )
    if not sensible:
        raise ValueError
    return RecordingFacts(**{**values, "whole": whole, "pixel": pixel, "plan": plan})


def _tracks(file: h5py.File, plans: dict[str, Any], frames: int, size: int, path: Path) -> dict[str, Track]:
    tracks = {}
    for role, plan in plans.items():
        if role not in ROLES:
            raise InputError(f"{path.name}: holds pictures of an unknown kind, {role[:40]!r}.")
        shape = tuple(plan.pop("shape"))
        _check_shape(role, shape, path)
        tracks[role] = _track(file, role, Coding(**plan), shape, frames, path)
        size -= sum(len(block) for block in tracks[role].blocks)
        if size < 0:
            raise InputError(f"{path.name}: its pictures claim more room than the file has.")
    return tracks


def _check_shape(role: str, shape: tuple[int, ...], path: Path) -> None:
    axes = 3 if role in COIL_ROLES else 2
    if len(shape) != axes or not all(isinstance(side, int) and 1 <= side <= _LARGEST_SIDE for side in shape):
        raise InputError(f"{path.name}: {role} has an absurd size {str(shape)[:60]}.")
    if math.prod(shape) > _MOST_PIXELS or (axes == 3 and shape[0] > _MOST_COILS):
        raise InputError(f"{path.name}: {role} has an absurd size {shape}.")


def _track(file: h5py.File, role: str, coding: Coding, shape: tuple[int, ...], frames: int, path: Path) -> Track:
    group = f"tracks/{role}"
    for name in ("tracks", group):
        if not isinstance(file.get(name, getlink=True), h5py.HardLink):
            raise InputError(f"{path.name}: {name} is missing or a link to somewhere else, which is refused.")
    which = _numbers(file, f"{group}/which", 1, _MOST_FRAMES, path)
    pictures = plain_dataset(file, f"{group}/pictures")
    stored = coding.stored_shape(shape)
    fits = (
        pictures is not None
        and pictures.shape[1:] == stored
        and pictures.shape[0] <= _MOST_FRAMES
        and pictures.dtype == coding.kind
        and pictures.chunks == (1, *stored)
        and (pictures.compression, pictures.shuffle, pictures.fletcher32, pictures.scaleoffset)
        == ("gzip", True, False, None)
    )
    if pictures is None or not fits or len(which) != frames or not _within(which, -1, pictures.shape[0]):
        raise InputError(f"{path.name}: the pictures of {role} are not laid out as they should be.")
    blocks, room = [], path.stat().st_size
    for number in range(pictures.shape[0]):
        place = (number, *[0] * len(stored))
        information = pictures.id.get_chunk_info_by_coord(place)
        room -= int(information.size)
        if information.byte_offset is None or information.filter_mask or room < 0:
            raise InputError(f"{path.name}: a picture of {role} is missing or not packed; record the run again.")
        blocks.append(pictures.id.read_direct_chunk(place)[1])
    return Track(coding, shape, tuple(blocks), which.astype(np.int32))


def _within(values: NDArray[Any], low: int, end: int) -> bool:
    whole = values.dtype.kind == "i"
    return whole and (not len(values) or (int(values.min()) >= low and int(values.max()) < end))
