"""Collects a run while it goes on, within a bound on its size, and writes it as one HDF5 file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file
from napari_pogmdm.runs.recording import FORMAT, SUFFIX, VERSION, Coding, Recording, RecordingFacts, Track
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import COLUMNS

SMALLEST_LIMIT = 100_000  # bytes: a frame or two of a small scan
LARGEST_LIMIT = 256 * 2**20  # bytes: recordings are held in memory
CONSTANT_ROLES = (Role.REFERENCE, Role.ZERO_FILLED)
"""What is the same in all frames, and stored once."""
COIL_ROLES = (Role.COIL_MAGNITUDE, Role.COIL_PHASE)
"""What has an axis of coils."""
# bytes that HDF5 takes for itself, rounded up from files of this layout: for the file, a role, and a picture
_FILE_OVERHEAD, _TRACK_OVERHEAD, _BLOCK_OVERHEAD = 24_000, 9_000, 160
_ROW_BYTES = 8 * len(COLUMNS)  # a float64 each
_TRACE_SHARE = 8  # the trace takes at most this part of the file; it is thinned, too
_HEADROOM = 1.2  # of the brightest pixel; what overshoots by more than a fifth is stored as that
_FINE_LEVELS = 4095  # of what is stored once, 12 bits: its errors are looked at, too


def codings(peak: float) -> dict[str, Coding]:
    """How each role is stored, for a scan whose brightest pixel has the value ``peak``."""
    half_turn = float(np.pi)
    coarse, fine = Coding(0.0, _HEADROOM * peak), Coding(0.0, _HEADROOM * peak, levels=_FINE_LEVELS)
    return {
        Role.REFERENCE: fine,
        Role.ZERO_FILLED: fine,
        Role.IMAGE: coarse,
        Role.TWEEDIE: coarse,
        Role.MEAN: coarse,
        Role.DEVIATION: Coding(0.0, 0.25 * peak),  # of the brightest pixel; chains that work differ by less
        Role.PHASE: Coding(-half_turn, half_turn, cyclic=True),
        Role.COIL_MAGNITUDE: Coding(0.0, 1.5, thin=3),  # RSS(s) is about 1
        Role.COIL_PHASE: Coding(-half_turn, half_turn, thin=3, cyclic=True),
        Role.RESIDUAL: Coding(-120.0, 0.0),  # dB below the strongest sample; the layer shows -90 to -20
    }


@dataclass(frozen=True, eq=False)
class _Kept:
    """A frame: its row of the trace, and the number of the block that shows each role."""

    row: tuple[float, ...]
    blocks: Mapping[str, int]


class Recorder:
    """Keeps frames in memory, packed.

    When they outgrow the limit every second one goes, so that what remains still covers the whole run; the first and
    the last always stay.

    Parameters
    ----------
    facts
        What is run.
    peak
        Brightest pixel of the scan, in the units of its images.
    limit
        Largest size of the file in bytes.
    coils_every
        Coil maps, the largest pictures, are kept with every so many frames.

    Attributes
    ----------
    facts, limit
        As given; the substeps and the record of the run are added on the way.
    """

    def __init__(self, facts: RecordingFacts, peak: float, limit: int = 20 * 2**20, coils_every: int = 4) -> None:
        if not SMALLEST_LIMIT <= limit <= LARGEST_LIMIT:
            raise InputError(f"limit: {limit} bytes is not from 0.1 MB to {LARGEST_LIMIT // 2**20} MB.")
        if coils_every < 1:
            raise InputError("coils_every: must be at least 1.")
        self.facts = facts
        self.limit = limit
        self._facts_bytes = len(json.dumps(facts.to_dict()))
        self._coils_every = coils_every
        self._codings = codings(peak)
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._blocks: dict[str, dict[int, bytes]] = {}
        self._constants: dict[str, int] = {}
        self._frames: list[_Kept] = []
        self._newest: _Kept | None = None
        self._rows: list[tuple[float, ...]] = []
        self._offered = 0
        self._stride = 1
        self._number = 0

    @property
    def size(self) -> int:
        """Bytes that the file will take at most."""
        blocks = [len(block) for track in self._blocks.values() for block in track.values()]
        known = _FILE_OVERHEAD + len(self._blocks) * _TRACK_OVERHEAD + self._facts_bytes
        return known + sum(blocks) + len(blocks) * _BLOCK_OVERHEAD + len(self._rows) * _ROW_BYTES

    def __len__(self) -> int:
        return len(self._everything())

    def add_constant(self, role: str, picture: FloatImage) -> None:
        """Store what is the same in all frames."""
        if role not in CONSTANT_ROLES:
            raise InputError(
                f"recording: {str(role)!r} changes during a run; constant are {', '.join(CONSTANT_ROLES)}."
            )
        self._constants[role] = self._pack(role, picture)

    def set_substeps(self, substeps: tuple[str, ...]) -> None:
        """Learn the substeps of an iteration."""
        self.facts = replace(self.facts, plan=substeps)

    def note(self, row: Sequence[float]) -> None:
        """Store the numbers of a moment, in the order of `COLUMNS`."""
        if len(row) != len(COLUMNS):
            raise InputError(f"recording: a moment has {len(COLUMNS)} numbers, not {len(row)}.")
        self._rows.append(tuple(float(value) for value in row))
        if len(self._rows) * _ROW_BYTES * _TRACE_SHARE > self.limit:
            shown = {id(frame.row) for frame in self._everything()} | {id(self._rows[-1])}
            self._rows = [row for count, row in enumerate(self._rows) if count % 2 == 0 or id(row) in shown]

    def add(self, row: Sequence[float], pictures: Mapping[str, FloatImage], last: bool = False) -> None:
        """Store a moment with its pictures; roles that nobody can replay are left out.

        Parameters
        ----------
        row
            Its numbers, in the order of `COLUMNS`.
        pictures
            By role.
        last
            Whether the run ends here; the last frame has coils for sure.
        """
        self.note(row)
        before = self._newest
        with_coils = last or self._offered % (self._stride * self._coils_every) == 0
        blocks = {
            role: self._pack(role, picture)
            for role, picture in pictures.items()
            if role in self._codings and role not in CONSTANT_ROLES and (with_coils or role not in COIL_ROLES)
        }
        if not with_coils and before is not None:
            blocks |= {role: number for role, number in before.blocks.items() if role in COIL_ROLES}
        self._newest = _Kept(self._rows[-1], blocks)
        if self._offered % self._stride == 0:
            self._frames.append(self._newest)
        self._offered += 1
        self._fit()

    def finish(self, record: Mapping[str, Any]) -> None:
        """Add what it takes to repeat the finished run, a `RunRecord` as plain data."""
        self.facts = replace(self.facts, record=record)
        self._facts_bytes = len(json.dumps(self.facts.to_dict()))
        self._fit()

    def recording(self, name: str) -> Recording:
        """Give what there is, ready to look at."""
        frames = self._everything()
        if not frames:
            raise InputError("recording: nothing has been recorded yet; run the sampler first.")
        rows = {id(row): number for number, row in enumerate(self._rows)}
        return Recording(
            name=name,
            facts=self.facts,
            trace=np.array(self._rows, dtype=np.float64),
            moments=np.array([rows[id(frame.row)] for frame in frames], dtype=np.int32),
            tracks={role: self._track(role, frames) for role in self._blocks},
        )

    def save(self, path: Path) -> Recording:
        """Write the file, whole or not at all."""
        recording = self.recording(path.name)
        write_recording(recording, path)
        return recording

    def _everything(self) -> list[_Kept]:
        newest = self._newest
        return self._frames if newest is None or newest in self._frames[-1:] else [*self._frames, newest]

    def _pack(self, role: str, picture: FloatImage) -> int:
        shape = self._shapes.setdefault(role, tuple(picture.shape))
        if shape != picture.shape:
            raise InputError(f"recording: {role} changed its size during the run; start a new recording.")
        known = self._blocks.setdefault(role, {})
        block = self._codings[role].encode(picture)
        latest = next(reversed(known), None)
        if latest is not None and known[latest] == block:
            return latest
        self._number += 1
        known[self._number] = block
        return self._number

    def _fit(self) -> None:
        self._forget_unused()
        while self.size > self.limit:
            if len(self._frames) < 2:
                raise InputError(f"limit: {self.limit / 1e6:g} MB is too little for one frame; allow more.")
            self._frames = self._frames[::2]
            self._stride *= 2
            self._forget_unused()

    def _forget_unused(self) -> None:
        used = {number for frame in self._everything() for number in frame.blocks.values()} | set(
            self._constants.values()
        )
        for track in self._blocks.values():
            for number in [number for number in track if number not in used]:
                del track[number]

    def _track(self, role: str, frames: Sequence[_Kept]) -> Track:
        places = {number: place for place, number in enumerate(self._blocks[role])}
        constant = self._constants.get(role)
        which = [
            places[constant] if constant is not None else places.get(frame.blocks.get(role, -1), -1) for frame in frames
        ]
        return Track(
            self._codings[role], self._shapes[role], tuple(self._blocks[role].values()), np.array(which, dtype=np.int32)
        )


def write_recording(recording: Recording, path: Path) -> None:
    """Write a recording; its pictures go into the file as they are packed."""
    if not path.name.endswith(SUFFIX):
        raise InputError(f"{path.name}: recorded runs end in {SUFFIX}; choose such a name.")
    import h5py

    with whole_file(path) as stream, h5py.File(stream, "w") as file:
        file.attrs["format"] = FORMAT
        file.attrs["version"] = VERSION
        tracks = {
            role: {**asdict(track.coding), "shape": list(track.shape)} for role, track in recording.tracks.items()
        }
        file.create_dataset("facts", data=json.dumps({**recording.facts.to_dict(), "tracks": tracks}))
        file.create_dataset("trace", data=recording.trace)
        file.create_dataset("moments", data=recording.moments)
        for role, track in recording.tracks.items():
            stored = track.coding.stored_shape(track.shape)
            pictures = file.create_dataset(
                f"tracks/{role}/pictures",
                (len(track.blocks), *stored),
                track.coding.kind,
                chunks=(1, *stored),
                compression="gzip",
                shuffle=True,
            )
            for number, block in enumerate(track.blocks):
                pictures.id.write_direct_chunk((number, *[0] * len(stored)), block)
            file.create_dataset(f"tracks/{role}/which", data=track.which)
