"""Masks as files: NumPy for programs, PNG for people."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import atomic_path
from napari_pogmdm.physics.masks.mask import Mask


def save_mask(mask: Mask, path: Path) -> Path:
    """Write a mask by the ending of the file's name: .npy, or .png with its point-spread function."""
    kind = path.suffix.lower()
    if kind not in {".npy", ".png", ""}:
        raise InputError(f"{path.name}: masks are saved as .npy or .png; choose one of these endings.")
    path = path if kind else path.with_suffix(".npy")
    if kind == ".png":
        from napari_pogmdm.recon.figures import save_mask_panel

        save_mask_panel(mask, path)
        return path
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.save(stream, mask.samples)
    return path
