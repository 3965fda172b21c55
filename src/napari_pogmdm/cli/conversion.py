"""What ``convert`` does: which kind of file goes in, and which comes out."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.data.export.images import ImageStack, is_image_ending, write_images
from napari_pogmdm.data.export.result import is_result, read_result
from napari_pogmdm.data.export.scan import write_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.reading import is_file
from napari_pogmdm.recon.measurement import reference_image


def converted(source: str, target: Path, slices: str, array: str, options: ScanOptions) -> list[Path]:
    """Write a result or a scan in another format.

    Parameters
    ----------
    source
        A result, or what `open_scan` takes.
    target
        File to write; its ending says the format.
    slices
        "all", "middle" or a number.
    array
        Which image of a result.
    options
        How a scan is read, and which contrast and repetition.

    Returns
    -------
    The files that were written.
    """
    if is_file(source) and h5py.is_hdf5(source) and is_result(Path(source)):
        return write_images(read_result(Path(source), array, _numbers(slices)), target)
    scan = options.open(source)
    indices = options.indices(scan, slices)
    if not is_image_ending(target):
        return write_scan(scan, indices, target)
    images, affines = [], []
    for index in indices:
        slice_ = scan[index]
        image = reference_image(slice_)
        if image is None:
            raise InputError(f"{slice_.source}: is undersampled, so it has no image yet; reconstruct it first.")
        images.append(image)
        affines.append(slice_.affine)
    known = [affine for affine in affines if affine is not None]
    places = np.stack(known) if len(known) == len(affines) else None
    return write_images(ImageStack(np.stack(images), places, scan.name), target)


def _numbers(slices: str) -> list[int] | None:
    if slices == "all":
        return None
    try:
        return [0 if slices == "middle" else int(slices)]
    except ValueError:
        raise InputError(f"--slice: {slices!r} is not a number or 'all'.") from None
