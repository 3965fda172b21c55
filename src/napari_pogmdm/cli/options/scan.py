"""Options that say how a file is read, and which image of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from napari_pogmdm.data.reading import ReadOptions
from napari_pogmdm.errors import InputError

if TYPE_CHECKING:
    from napari_pogmdm.data.acquisition import Scan


@dataclass(frozen=True)
class ScanOptions:
    """How to read a file, and which of its contrasts and repetitions: a group of options, see `grouped`.

    Attributes
    ----------
    axes, key, trajectory_file, matrix
        See `napari_pogmdm.data.reading.ReadOptions`.
    contrast, repetition
        Of scans with several.
    at
        Other counters, each as ``name=number``.
    """

    axes: Annotated[
        str,
        typer.Option(help="Axes of a NumPy or BART array, such as slices,coils,rows,columns; guessed if not given."),
    ] = ""
    key: Annotated[str, typer.Option(help="Array of an .npz file that holds k-space.")] = ""
    trajectory_file: Annotated[
        Path | None, typer.Option(help="Positions of the samples of a NumPy or BART array: .npy, .npz or .cfl.")
    ] = None
    matrix: Annotated[str, typer.Option(help="Size of the image for a trajectory, such as 256 or 256x192.")] = ""
    contrast: Annotated[int, typer.Option(min=0, help="Contrast (echo) of a scan that has several.")] = 0
    repetition: Annotated[int, typer.Option(min=0, help="Repetition of a scan that has several.")] = 0
    at: Annotated[
        list[str] | None, typer.Option(help="Another counter of a scan, such as phase=2 or set=1; can be repeated.")
    ] = None

    @property
    def reading(self) -> ReadOptions:
        """How to read the file."""
        places = "" if self.trajectory_file is None else str(self.trajectory_file)
        return ReadOptions(self.axes, self.key, places, self.matrix)

    def open(self, source: str) -> Scan:
        """Open a scan; a large one shows how far it is indexed."""
        from napari_pogmdm.cli.progress import indexing
        from napari_pogmdm.data.sources import open_scan

        with indexing(source) as progress:
            return open_scan(source, **self.reading.arguments(), progress=progress)

    def again(self, reading: ReadOptions, given: frozenset[str]) -> ScanOptions:
        """Read a file as a record did, but for the options that stood on the command line.

        Parameters
        ----------
        reading
            Of the record.
        given
            Names of the options that were given.
        """
        places = Path(reading.trajectory) if reading.trajectory else None
        found: dict[str, Any] = {
            "axes": reading.axes,
            "key": reading.key,
            "trajectory_file": places,
            "matrix": reading.matrix,
        }
        return replace(self, **{name: value for name, value in found.items() if name not in given})

    def indices(self, scan: Scan, slices: str) -> list[int]:
        """Give the numbers of the images that are meant, in the scan.

        Parameters
        ----------
        scan
            What they are in.
        slices
            "middle", "all" or a number. Numbers go on from the last slice to the first one of the next contrast or
            repetition, so that the number in a record always leads to the same image.
        """
        from napari_pogmdm.data.dimensions import dimensions_of, index_of

        count = dimensions_of(scan)["slice"]
        counters = {"contrast": self.contrast, "repetition": self.repetition}
        for text in self.at or ():
            name, _, number = text.partition("=")
            if not number.strip().isdigit():
                raise InputError(f"--at: {text!r} is not written as name=number, such as phase=2.")
            counters[name.strip()] = int(number)
        if slices == "all":
            wanted = list(range(count))
        elif slices == "middle":
            wanted = [count // 2]
        else:
            try:
                wanted = [int(slices)]
            except ValueError:
                raise InputError(f"slice: {slices!r} is not a number, 'middle' or 'all'.") from None
            if count <= wanted[0] < len(scan) and not any(counters.values()):
                return wanted
        return [index_of(scan, {"slice": one, **counters}) for one in wanted]
