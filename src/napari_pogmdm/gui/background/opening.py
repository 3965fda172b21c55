"""Opening scans and reading slices for the window's threads, and how far a large file is indexed; no Qt in here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import Acquisition, Scan
from napari_pogmdm.data.dimensions import middle_of
from napari_pogmdm.data.reading import ReadOptions
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.measurement import reference_image


@dataclass(frozen=True, eq=False)
class OpenedSlice:
    """A scan with one of its slices read.

    Attributes
    ----------
    scan
        It is in.
    index
        Its number.
    acquisition
        The slice.
    reference
        (rows, columns) of the fully sampled image, where there is one.
    """

    scan: Scan
    index: int
    acquisition: Acquisition
    reference: FloatImage | None


class Indexing:
    """Tells how far a file is indexed, from the thread that does it to the one that shows it.

    Parameters
    ----------
    wake
        Called when there is something new to show.
    """

    def __init__(self, wake: Callable[[], None] | None) -> None:
        self._wake = wake or (lambda: None)
        self._percent = 0

    @property
    def words(self) -> str:
        """For people; empty before the first and after the last part of a file."""
        return f"{self._percent} % indexed" if 0 < self._percent < 100 else ""

    def open(
        self, source: str | Path, index: int | None, options: ReadOptions, cancelled: Callable[[], bool]
    ) -> OpenedSlice:
        """Open a scan, and read a slice of it.

        Parameters
        ----------
        source, options
            What `open_scan` takes.
        index
            Of the slice; ``None`` for the middle one.
        cancelled
            Asked whether to stop.
        """
        self._percent = 0
        scan = open_scan(source, **options.arguments(), progress=self._progress, cancelled=cancelled)
        self._percent = 0
        return read_slice(scan, index)

    def _progress(self, share: float) -> None:
        percent = int(100 * share)
        if percent != self._percent:
            self._percent = percent
            self._wake()


def read_slice(scan: Scan, index: int | None) -> OpenedSlice:
    """Read a slice, or without an index the middle one; if that cannot be used, the next one to it that can."""
    middle = middle_of(scan)
    wanted = sorted(range(len(scan)), key=lambda place: abs(place - middle)) if index is None else [index]
    refused: InputError | None = None
    for chosen in wanted:
        try:
            acquisition = scan[chosen]
        except InputError as error:
            refused = refused or error
            continue
        return OpenedSlice(scan, chosen, acquisition, reference_image(acquisition))
    raise refused or InputError(f"{scan.name}: holds no slice; give another file.")
