"""A comparison on disk: the table as CSV, the images as a panel or as NIfTI; no Qt in here."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from pathlib import Path

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.gui.contributions.writer import write_nifti
from napari_pogmdm.gui.docks.compare.queue import ComparisonRow
from napari_pogmdm.recon.figures import MethodImage, save_comparison
from napari_pogmdm.recon.metrics import Metrics

FILE_FILTER = "Table (*.csv);;Panel with enlarged detail (*.png);;One NIfTI file a method (*.nii.gz *.nii)"


def export(
    path: Path,
    rows: Sequence[ComparisonRow],
    reference: FloatImage | None,
    title: str,
    pixel: tuple[float, float] = (1.0, 1.0),
    unit: str = "pixel",
) -> list[Path]:
    """Write what the ending of a file's name asks for, and name the files that were written.

    Parameters
    ----------
    path
        Ends in .csv, .png, .nii or .nii.gz; of the last two there is a file for each method, named after it.
    rows
        What was compared; rows without an image are left out.
    reference
        (rows, columns) of the fully sampled image, in the units of the file.
    title
        Of the panel.
    pixel, unit
        Height and width of a pixel, and "mm" or "pixel".
    """
    pictures = [
        MethodImage(row.choice.label, row.result.image, row.result.metrics) for row in rows if row.result is not None
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


def save_table(path: Path, rows: Sequence[ComparisonRow]) -> None:
    """Write one line a method and slice as CSV."""
    if not any(row.seconds for row in rows):
        raise InputError(f"{path.name}: nothing was compared yet, so there is no table to save.")
    lines = io.StringIO(newline="")
    writer = csv.writer(lines)
    writer.writerow(("method", "slice", "psnr_db", "ssim", "nmse", "seconds", "parameters"))
    for row in rows:
        for index, seconds in sorted(row.seconds.items()):
            scores = row.metrics.get(index, Metrics(math.nan, math.nan, math.nan))
            numbers = (f"{value:.6g}" for value in (scores.psnr, scores.ssim, scores.nmse, seconds))
            writer.writerow((row.choice.label, index, *numbers, row.choice.parameters))
    write_file(path, lines.getvalue())


def _plain(label: str) -> str:
    """Make a label fit for a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
