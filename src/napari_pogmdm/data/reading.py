"""What a file may need the user to state: names of axes, a trajectory, the size of the image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from napari_pogmdm.errors import InputError


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file that does not say it itself; everything is found out where it can be.

    Attributes
    ----------
    axes
        Names of an array's axes, separated by commas, such as "coils,rows,columns".
    key
        Which array of an ``.npz`` file holds k-space.
    trajectory
        File with the places of the samples.
    matrix
        Size of the image for samples along a trajectory, such as "256" or "256x192".
    """

    axes: str = ""
    key: str = ""
    trajectory: str = ""
    matrix: str = ""

    def to_dict(self) -> dict[str, str]:
        """Give what was asked for, as plain data."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ReadOptions:
        """Read what `to_dict` gave."""
        names = set(cls.__dataclass_fields__)
        if set(data) - names or not all(isinstance(value, str) for value in data.values()):
            raise InputError(f"record: how the scan was read does not consist of {', '.join(sorted(names))}.")
        return cls(**data)

    def arguments(self) -> dict[str, Any]:
        """Give what was asked for as arguments of `open_scan`."""
        return dict(self.to_dict())

    def size(self) -> tuple[int, int] | None:
        """Give rows and columns of ``matrix``."""
        if not self.matrix:
            return None
        try:
            numbers = [int(part) for part in self.matrix.lower().replace("×", "x").split("x")]
        except ValueError:
            numbers = []
        if len(numbers) == 1:
            numbers *= 2
        if len(numbers) != 2 or not all(_SMALLEST <= number <= _LARGEST for number in numbers):
            raise InputError(f"matrix: {self.matrix!r} is not an image size; write 256, or 256x192 (rows x columns).")
        return numbers[0], numbers[1]


_SMALLEST = 8  # rows and columns; below that there is no image to speak of
_LARGEST = 8192  # rows and columns; no scanner makes larger images
