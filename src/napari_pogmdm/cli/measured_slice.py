"""The one slice that a command works on, measured as its options ask."""

from __future__ import annotations

from dataclasses import dataclass

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample
from napari_pogmdm.recon.sampling.recipe import SamplingRecipe


@dataclass(frozen=True, eq=False)
class MeasuredSlice:
    """A slice and what is left of it to reconstruct from.

    Attributes
    ----------
    acquisition
        The slice as the scan has it.
    measurement
        Its undersampled k-space.
    reference
        (rows, columns) of the fully sampled image, cropped, where there is one.
    """

    acquisition: Acquisition
    measurement: Measurement
    reference: FloatImage | None


def open_slice(source: str, slice_: str, command: str, options: ScanOptions | None = None) -> Acquisition:
    """Open one slice of a scan for a command that takes no more.

    Parameters
    ----------
    source
        What `open_scan` takes.
    slice_
        "middle" or a number.
    command
        Its name, for the message.
    options
        How the file is read, and which contrast and repetition.
    """
    if slice_ == "all":
        raise InputError(f"--slice: {command} takes one slice; give its number, or 'middle'.")
    options = options or ScanOptions()
    scan = options.open(source)
    return scan[options.indices(scan, slice_)[0]]


def measure_slice(acquisition: Acquisition, recipe: SamplingRecipe, coils: int, device: str) -> MeasuredSlice:
    """Undersample a slice.

    Parameters
    ----------
    acquisition
        The slice.
    recipe
        Of the mask, or of the trajectory.
    coils
        Virtual coils to compress to, as `virtual_coils` reads them.
    device
        Where to compute, as torch calls it.
    """
    measurement = undersample(acquisition, recipe.make(acquisition), coils=coils, device=device)
    return MeasuredSlice(acquisition, measurement, reference_image(acquisition))
