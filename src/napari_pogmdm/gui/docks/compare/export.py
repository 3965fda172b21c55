"""A comparison on disk: the table as CSV, the images as a panel or as NIfTI; no Qt in here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.contributions.writer import write_nifti
from napari_pogmdm.gui.docks.compare.queue import Row, save_table
from napari_pogmdm.recon.figures import Picture, save_comparison

KINDS = "Table (*.csv);;Panel with enlarged detail (*.png);;One NIfTI file a method (*.nii.gz *.nii)"


def export(
    path: Path,
    rows: Sequence[Row],
    reference: FloatImage | None,
    title: str,
    pixel: tuple[float, float] = (1.0, 1.0),
    unit: str = "pixel",
) -> list[Path]:
    """Write what the ending of a file's name asks for, and name the files that were written."""
    pictures = [
        Picture(row.contender.label, row.outcome.image, row.outcome.metrics) for row in rows if row.outcome is not None
    ]
    if not pictures:
        raise InputError(f"{path.name}: nothing was compared yet, so there is nothing to save.")
    name = path.name.lower()
    if name.endswith(".csv"):
        save_table(path, rows)
        return [path]
    if name.endswith(".png"):
        save_comparison(reference, pictures, path, title)
        return [path]
    ending = next((ending for ending in (".nii.gz", ".nii") if name.endswith(ending)), None)
    if ending is None:
        raise InputError(f"{path.name}: comparisons are saved as .csv, .png, .nii.gz or .nii; choose one of these.")
    images = [(picture.name, picture.image) for picture in pictures]
    if reference is not None:
        images.insert(0, ("fully sampled", reference))
    facts = {"scale": pixel, "units": ("millimeter", "millimeter") if unit == "mm" else ("pixel", "pixel")}
    stem = path.name[: -len(ending)]
    written = [path.with_name(f"{stem}-{_plain(label)}{ending}") for label, _ in images]
    for target, (_, image) in zip(written, images, strict=True):
        write_nifti(str(target), image, facts)
    return written


def _plain(label: str) -> str:
    """Make a label fit for a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
