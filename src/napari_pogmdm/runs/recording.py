"""A recorded run: pictures of chosen moments, the numbers of all of them, and how the run was set up.

Pictures are stored as whole numbers between limits that are fixed for each role, one compressed block a picture, so
that any moment can be shown without reading another.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.runs.roles import Role

FORMAT = "napari-pogmdm recording"
VERSION = 1  # of the layout; goes up when older programs could no longer read a file
SUFFIX = ".pogmdm.h5"

_FINEST = 65535  # the largest number of two bytes
_COARSEST = 16  # pixels of which one is kept; coil maps, the smoothest of all, keep one in 3


@dataclass(frozen=True)
class Coding:
    """How the pictures of a role become whole numbers.

    Attributes
    ----------
    low, high
        Limits; what lies outside is stored as the nearer one.
    levels
        Number of steps between them; up to 255 take one byte a pixel, more take two.
    thin
        Every how many pixels, along rows and columns, one is kept; those between are interpolated.
    cyclic
        The limits are the same angle, and interpolation goes the short way round.
    """

    low: float
    high: float
    levels: int = 255
    thin: int = 1
    cyclic: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError("recording: the limits of a picture are not a finite range.")
        if not 1 <= self.levels <= _FINEST or not 1 <= self.thin <= _COARSEST:
            raise InputError("recording: pictures have 1 to 65535 levels and keep one in 1 to 16 pixels.")

    @property
    def kind(self) -> np.dtype[Any]:
        """Type of a stored pixel."""
        return np.dtype("<u1" if self.levels <= 255 else "<u2")

    def stored_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Give the shape that a picture has when it is stored."""
        return (*shape[:-2], *(-(-size // self.thin) for size in shape[-2:]))

    def encode(self, picture: NDArray[np.floating], effort: int = 4) -> bytes:
        """Pack a picture as HDF5's shuffle and gzip filters would.

        Recordings are kept packed in memory, where frames are thinned and replayed before there is a file; these blocks
        then go into the file as they are.

        Parameters
        ----------
        picture
            (..., rows, columns) of any real numbers; NaN is stored as the lower limit.
        effort
            Of zlib, from 0 to 9.
        """
        kept = np.nan_to_num(picture[..., :: self.thin, :: self.thin], nan=self.low)
        steps = (kept - self.low) * (self.levels / (self.high - self.low))
        numbers = np.clip(np.rint(steps), 0, self.levels).astype(self.kind)
        shuffled = numbers.reshape(-1, 1).view(np.uint8).T
        return zlib.compress(shuffled.tobytes(), effort)

    def decode(self, block: bytes, shape: tuple[int, ...]) -> FloatImage:
        """Unpack a picture to its full shape; memory is taken for exactly that, whatever the block claims."""
        stored = self.stored_shape(shape)
        count = math.prod(stored)
        unpacker = zlib.decompressobj()
        try:
            raw = unpacker.decompress(block, count * self.kind.itemsize)
        except zlib.error as error:
            raise InputError("recording: a picture is damaged; copy the file again.") from error
        if len(raw) != count * self.kind.itemsize:
            raise InputError("recording: a picture is damaged; copy the file again.")
        bytes_apart = np.frombuffer(raw, np.uint8).reshape(self.kind.itemsize, count).T
        numbers = np.ascontiguousarray(bytes_apart).view(self.kind).reshape(stored)
        picture = numbers.astype(np.float32)
        picture *= (self.high - self.low) / self.levels
        picture += self.low
        if self.thin == 1:
            return picture
        if not self.cyclic:
            return _refined(picture, shape, self.thin)
        turn = 2 * math.pi / (self.high - self.low)
        middle = (self.high + self.low) / 2
        angle = (picture - middle) * turn
        fine = np.arctan2(_refined(np.sin(angle), shape, self.thin), _refined(np.cos(angle), shape, self.thin))
        return np.asarray(fine / turn + middle, dtype=np.float32)


def _refined(picture: FloatImage, shape: tuple[int, ...], thin: int) -> FloatImage:
    """Interpolate linearly between the kept pixels; after the last one its value goes on."""
    rows, columns = (_weights(kept, size, thin) for kept, size in zip(picture.shape[-2:], shape[-2:], strict=True))
    return np.asarray(rows @ picture @ columns.T, dtype=np.float32)


def _weights(kept: int, size: int, thin: int) -> FloatImage:
    """(size, kept) share of each kept pixel in each pixel."""
    distance = np.abs(np.minimum(np.arange(size) / thin, kept - 1)[:, None] - np.arange(kept))
    return np.maximum(0.0, 1.0 - distance).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Track:
    """All pictures of one role.

    Attributes
    ----------
    coding
        How they are packed.
    shape
        Of a picture: (rows, columns), or (coils, rows, columns).
    blocks
        The packed pictures.
    which
        (frames,) index of the block that each frame shows, or -1 for none.
    """

    coding: Coding
    shape: tuple[int, ...]
    blocks: tuple[bytes, ...]
    which: NDArray[np.int32]

    def picture(self, frame: int) -> FloatImage | None:
        """Unpack what a frame shows."""
        index = int(self.which[frame])
        return None if index < 0 else self.coding.decode(self.blocks[index], self.shape)


@dataclass(frozen=True)
class RecordingFacts:
    """What was run, and how its pictures lie in the window.

    Attributes
    ----------
    source, mask, model
        Names, for people; ``model`` also loads the model if it is one that ships with the package.
    whole, pixel, white
        Rows and columns of the uncropped image, millimetres a pixel, and the intensity shown as white.
    steps, plan, chains
        Iterations of a chain, the substeps of each, and the chains of the run.
    settings
        Of the sampler, as `SamplerSettings.to_dict` gives them.
    record
        What it takes to repeat the run (`RunRecord`), where it finished.
    """

    source: str
    mask: str
    model: str
    whole: tuple[int, int]
    pixel: tuple[float, float]
    white: float
    steps: int
    plan: tuple[str, ...]
    chains: int
    settings: Mapping[str, Any]
    record: Mapping[str, Any] | None = field(default=None)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain data."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Recording:
    """A run to look at.

    Attributes
    ----------
    name
        Of the file, for people.
    facts
        What was run.
    trace
        (moments, `COLUMNS`) float64.
    moments
        (frames,) row of the trace that each frame shows.
    tracks
        Pictures by role; "reference" and "zero-filled" are the same in all frames.
    """

    name: str
    facts: RecordingFacts
    trace: NDArray[np.float64]
    moments: NDArray[np.int32]
    tracks: Mapping[str, Track]

    def __len__(self) -> int:
        return len(self.moments)

    @property
    def roles(self) -> tuple[str, ...]:
        """What can be shown; the error is found from image and reference."""
        derived = (Role.ERROR,) if self._shows_error else ()
        return (*(role for role in self.tracks if role != Role.ERROR), *derived)

    @property
    def size(self) -> int:
        """Bytes of all packed pictures."""
        return sum(len(block) for track in self.tracks.values() for block in track.blocks)

    def picture(self, role: str, frame: int) -> FloatImage | None:
        """Unpack one picture; ``None`` where the role had nothing to show yet."""
        if role == Role.ERROR and self._shows_error:
            image, reference = self.picture(Role.IMAGE, frame), self.picture(Role.REFERENCE, frame)
            return None if image is None or reference is None else np.abs(image - reference)
        track = self.tracks.get(role)
        return None if track is None else track.picture(frame)

    @property
    def _shows_error(self) -> bool:
        image, reference = self.tracks.get(Role.IMAGE), self.tracks.get(Role.REFERENCE)
        return image is not None and reference is not None and image.shape == reference.shape
