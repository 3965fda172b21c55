"""Cases on which settings are tuned and intervals calibrated: scans with their references, and masks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from napari_pogmdm.cli.measured_slice import measure_slice
from napari_pogmdm.data.dimensions import middle_of
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.tuning import TuningCase
from napari_pogmdm.reading import is_file
from napari_pogmdm.recon.sampling.recipe import recipe_from_code


def validation_cases(files: Sequence[str], codes: Sequence[str], coils: int, device: str) -> list[TuningCase]:
    """Undersample the middle slice of every scan with every mask.

    Parameters
    ----------
    files
        Scans, as `open_scan` takes them.
    codes
        Of masks, such as C4/8.
    coils
        Virtual coils to compress to, as `virtual_coils` reads them.
    device
        Where to compute.
    """
    cases = []
    for file in files:
        scan = open_scan(file)
        for code in codes:
            measured = measure_slice(scan[middle_of(scan)], recipe_from_code(code), coils, device)
            if measured.reference is None:
                raise InputError(f"{scan.name}: has no full scan to compare with, so nothing can be chosen on it.")
            cases.append(TuningCase(f"{scan.name} {code}", measured.measurement, measured.reference))
    return cases


def file_hash(file: str) -> str:
    """Name a scan by its bytes; bundled ones by their name."""
    path = Path(file)
    return hashlib.sha256(path.read_bytes()).hexdigest() if is_file(path) else file
