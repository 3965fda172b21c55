"""Readouts along a radial or spiral trajectory that is in the file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Header, Size
from napari_pogmdm.data.arrays.trajectory_units import inside, scale_to_cycles
from napari_pogmdm.data.raw.grid import kept_samples
from napari_pogmdm.data.raw.lines import Encoding, Indices, Lines, RawSource, even
from napari_pogmdm.errors import InputError

_GRIDDED = {"cartesian", "epi"}
_LOOKED_AT = 64  # readouts that show how far a trajectory goes; interleaves of a spiral are fewer
_FLAT = 1e-3  # cycles per pixel; what a third direction may differ by, for rounding


@dataclass(frozen=True)
class Spokes:
    """How samples off the grid become an acquisition.

    Attributes
    ----------
    shape
        Rows and columns of the image.
    scale
        Multiply the file's trajectory by this to get cycles per pixel.
    header
        Sizes and fields of view.
    remarks
        What was done to the trajectory.
    """

    shape: Size
    scale: float
    header: Header
    remarks: tuple[str, ...]

    def gather(
        self, source: RawSource, members: Indices, where: str
    ) -> tuple[NDArray[np.complex64], NDArray[np.float32], tuple[str, ...]]:
        """Read the samples (coils, samples) of some readouts and their places (samples, 2).

        Parameters
        ----------
        source
            The file.
        members
            Numbers of the readouts.
        where
            File and slice, for messages.
        """
        samples, places = [], []
        readouts = zip(source.lines[members], source.read(members), source.read_trajectories(members), strict=True)
        for line, readout, trajectory in readouts:
            kept = slice(int(line["before"]), readout.shape[1] - int(line["after"]))
            samples.append(readout[:, kept])
            places.append(_plane(trajectory, self.scale, where)[kept])
        lengths = zip(samples, places, strict=True)
        if any(one.shape[1] != len(place) for one, place in lengths):
            raise InputError(f"{where}: a readout has more samples than positions on its trajectory; export it again.")
        kspace = np.concatenate(samples, axis=1)
        found = np.concatenate(places)
        found, within = inside(found)
        if not within.any():
            raise InputError(f"{where}: its trajectory lies outside [-0.5, 0.5) cycles per pixel; export it again.")
        words = [f"{len(members)} readouts along a trajectory, {int(within.sum())} samples"]
        if not within.all():
            words.append(f"{int((~within).sum())} samples outside [-0.5, 0.5) cycles per pixel left out")
        return np.ascontiguousarray(kspace[:, within]), found, tuple(words)


def make_spokes(source: RawSource, lines: Lines, members: Indices) -> Spokes | None:
    """Get ready for samples along a trajectory; ``None`` for a file whose samples lie on the grid.

    Parameters
    ----------
    source
        The file.
    lines
        Readouts of the image.
    members
        Their numbers.
    """
    encoding = source.encoding
    if encoding.trajectory in _GRIDDED:
        return None
    if lines["dimensions"].min() < 2:
        raise InputError(
            f"{source.name}: is {encoding.trajectory}, but holds no trajectory; write it into the file (ISMRMRD's "
            "traj), or convert to BART or NumPy files, which open with --trajectory-file."
        )
    step = max(1, len(members) // _LOOKED_AT)
    looked_at = source.read_trajectories(members[::step][:_LOOKED_AT])
    furthest = max(float(np.abs(one[:, :2]).max()) if one.size else 0.0 for one in looked_at)
    shape, seen = _image(encoding, int(kept_samples(lines).max()))
    candidates = (shape[1], encoding.matrix[0]) if encoding.matrix else (shape[1],)
    scale, words = scale_to_cycles(furthest, candidates, source.name)
    header = Header(
        encoded_matrix=shape,
        recon_matrix=shape,
        encoded_field_of_view_mm=seen,
        recon_field_of_view_mm=seen,
        contrast=encoding.contrast,
        field_strength_tesla=encoding.field_strength_tesla,
    )
    return Spokes(shape, scale, header, (words,) if words else ())


def _image(encoding: Encoding, samples: int) -> tuple[Size, tuple[float, float] | None]:
    """Give rows and columns of the image on the acquired pixel, and its field of view (y, x)."""
    if encoding.matrix is None:
        return (even(samples / 2), even(samples / 2)), None  # readouts are oversampled twice as a rule
    across = even(encoding.matrix[0] / encoding.oversampling)
    recon = encoding.recon_matrix or (across, across, 1)
    view = encoding.recon_view_mm
    return (even(recon[1] * across / recon[0]), across), None if view is None else (view[1], view[0])


def _plane(trajectory: NDArray[np.float32], scale: float, where: str) -> NDArray[np.float32]:
    """Turn a file's (kx, ky) into places along rows and columns."""
    if not np.isfinite(trajectory).all():
        raise InputError(f"{where}: its trajectory holds NaN or infinite positions; export it again.")
    if trajectory.shape[1] > 2 and trajectory.size and np.abs(trajectory[:, 2:3] * scale).max() > _FLAT:
        raise InputError(f"{where}: its trajectory leaves the plane (3-D), and only 2-D ones can be reconstructed.")
    return np.ascontiguousarray(trajectory[:, 1::-1] * np.float32(scale), dtype=np.float32)
