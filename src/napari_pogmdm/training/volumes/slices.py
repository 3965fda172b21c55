"""Training, validation and test slices: reading a folder of volumes and splitting it by rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquired_grid import on_acquired_grid
from napari_pogmdm.data.images import read_volumes
from napari_pogmdm.errors import InputError
from napari_pogmdm.reading import reading

SPLIT_FILE = "split.json"
FASTMRI_HALF_WINDOW = 5  # slices on either side of the middle one: the paper's central eleven
_EVERY = 10  # volumes or slices, of which one is kept for validation
_SUFFIXES = (".nii", ".nii.gz", ".npz", ".npy", ".h5")


@dataclass(frozen=True)
class VolumeSlices:
    """Slices of one volume, each divided by its own maximum, sorted into three parts that share no block.

    Attributes
    ----------
    name
        Of the file, and after a slash of the array in it if it holds several.
    train, validation, test
        Images (rows, columns), in the order of the volume.
    group
        What it has in common with other volumes, such as a contrast; groups are drawn equally often, and volumes
        within a group.
    """

    name: str
    train: tuple[FloatImage, ...]
    validation: tuple[FloatImage, ...]
    test: tuple[FloatImage, ...]
    group: str = ""


def normalised(image: FloatImage) -> FloatImage:
    """Divide by the maximum, as the paper does."""
    return image / np.float32(image.max())


def _in_ranges(index: int, ranges: Sequence[Sequence[int]]) -> bool:
    return any(first <= index <= last for first, last in ranges)


def _sort_slices(name: str, stack: FloatImage, rule: dict[str, object]) -> VolumeSlices:
    """Split a stack by a rule of ``split.json``: inclusive ranges, counted within each period of slices."""
    try:
        period = int(rule.get("period", len(stack)))  # type: ignore[call-overload]
        ranges = {
            part: [[int(first), int(last)] for first, last in rule.get(part, [])]  # type: ignore[attr-defined]
            for part in ("validation", "test", "leave_out")
        }
        if period < 1:
            raise ValueError
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(
            f"{SPLIT_FILE}: the rule for {name} is not understood; give ranges [[first, last], ...]."
        ) from error
    parts: dict[str, list[FloatImage]] = {"train": [], "validation": [], "test": []}
    for index, image in enumerate(stack):
        if image.max() <= 0:
            continue
        place = index % period
        part = next((name for name in ranges if _in_ranges(place, ranges[name])), "train")
        if part != "leave_out":
            parts[part].append(normalised(image))
    group = str(rule.get("group", name.split("/")[0]))
    return VolumeSlices(name, tuple(parts["train"]), tuple(parts["validation"]), tuple(parts["test"]), group)


def _volume_paths(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(
            f"{folder} is not a folder; give one that holds volumes (.nii, .nii.gz, .npz, .npy, .h5 or DICOM folders)."
        )
    paths = [p for p in sorted(folder.iterdir()) if p.is_dir() or p.name.endswith(_SUFFIXES)]
    if not paths:
        raise InputError(
            f"{folder} holds no volumes; put .nii, .nii.gz, .npz, .npy or .h5 files or DICOM folders there."
        )
    return paths


def load_slices(folder: Path) -> tuple[VolumeSlices, ...]:
    """Read every volume of a folder, bring it to the grid it was acquired on, and split it.

    With a ``split.json`` beside the volumes, its rules hold, by file name, or by file name, slash and name of an array.
    Without one, every tenth volume is kept for validation; of a single volume, its last tenth of slices. Of a fastMRI
    file the central eleven slices are used.

    Raises
    ------
    InputError
        If nothing is left to train or validate on, or a file cannot be read.
    """
    stacks: dict[str, FloatImage] = {}
    for path in _volume_paths(folder):
        for name, stack in read_volumes(path).items():
            chosen = stack
            if path.suffix == ".h5":
                centre = len(stack) // 2
                chosen = stack[max(0, centre - FASTMRI_HALF_WINDOW) : centre + FASTMRI_HALF_WINDOW + 1]
            stacks[f"{path.name}/{name}" if name else path.name] = on_acquired_grid(chosen)
    rules = _read_rules(folder / SPLIT_FILE)
    volumes = []
    for number, (name, stack) in enumerate(stacks.items()):
        if rules is not None:
            rule = rules.get(name, rules.get(name.split("/")[0], {}))
        elif len(stacks) == 1:
            rule = {"validation": [[len(stack) - max(1, len(stack) // _EVERY), len(stack)]]}
        else:
            held_out = number % _EVERY == min(_EVERY - 1, len(stacks) - 1)
            rule = {"validation": [[0, len(stack)]]} if held_out else {}
        volumes.append(_sort_slices(name, stack, rule))
    if not any(volume.train for volume in volumes) or not any(volume.validation for volume in volumes):
        raise InputError(f"{folder} leaves no slices to train or to validate on; add volumes or correct {SPLIT_FILE}.")
    return tuple(volumes)


def _read_rules(path: Path) -> dict[str, dict[str, object]] | None:
    if not path.exists():
        return None
    with reading(path, "JSON file", "correct it or remove it"):
        rules = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(rules, dict) or not all(isinstance(rule, dict) for rule in rules.values()):
        raise InputError(f"{path} must map file names to rules such as {{'test': [[110, 130]]}}.")
    return rules
