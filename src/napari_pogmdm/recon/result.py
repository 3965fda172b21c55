"""A finished image, how it gets the units and the noise floor of its scan, and its file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from napari_pogmdm.arrays import FloatImage, shapes
from napari_pogmdm.data.acquisition import centre_crop
from napari_pogmdm.data.result_file import result_file
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.method import RIVALS, Method
from napari_pogmdm.recon.noise_floor import with_noise_floor
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.spread import spread_of_mean


@dataclass(frozen=True, eq=False, repr=False)
class Reconstruction:
    """A finished image.

    Attributes
    ----------
    image
        (rows, columns) float32 magnitude, cropped, in the units of the file.
    coils
        (coils, rows, columns) complex64, whole; with several map sets (sets, coils, rows, columns). Of several chains,
        those of the first. A method without its own coils has those that others start from.
    record
        How it came about.
    variance
        (rows, columns) float32 over chains, cropped, in squared units of the file, where there are several; ``image``
        is their mean then.
    complex_image
        (rows, columns) complex64, cropped, in the units of the file: the image that goes with coils of unit intensity,
        without a noise floor. Of several chains, that of the first.
    affine
        (4, 4) from (column, row, slice) to millimetres right, front and head; ``None`` where the scan does not say.
    """

    image: FloatImage
    coils: NDArray[np.complex64] | None
    record: RunRecord
    variance: FloatImage | None = None
    complex_image: NDArray[np.complex64] | None = None
    affine: NDArray[np.float64] | None = None

    def __repr__(self) -> str:
        sampler = self.record.sampler
        name = f"{self.record.method}/{sampler['model']}" if "model" in sampler else self.record.method
        chains = f", {sampler['chains']} chains" if sampler.get("chains", 1) > 1 else ""
        stopped = f", stopped at step {self.record.steps}" if self.record.stopped else ""
        coils = "no coils" if self.coils is None else f"{self.coils.shape[-3]} coils"
        return f"<Reconstruction {name}, {shapes(self.image)}, {coils}{chains}, {self.record.seconds:.1f} s{stopped}>"

    @property
    def choices(self) -> dict[str, Any]:
        """What the data chose, on what evidence and in words, as the record has it; empty where nothing was chosen."""
        return dict(self.record.sampler.get("choices", {}))

    @property
    def own_coils(self) -> NDArray[np.complex64] | None:
        """The coils, where the method used them, so that they can be judged as its own."""
        return None if self.record.method in (Method.ZERO_FILLED, *RIVALS) else self.coils

    @property
    def spread(self) -> FloatImage | None:
        """(rows, columns) `spread_of_mean` of the chains; not calibrated."""
        if self.variance is None:
            return None
        mirrored = bool(self.record.settings.get("mirror_noise", False))
        return spread_of_mean(self.variance, int(self.record.sampler["chains"]), mirrored=mirrored).astype(np.float32)

    @property
    def std(self) -> FloatImage | None:
        """(rows, columns) standard deviation of the image, calibrated; ``None`` where the chains' spread tells none."""
        calibration, spread = self.record.sampler.get("calibration"), self.spread
        return None if calibration is None or spread is None else np.float32(calibration["factor"]) * spread

    @property
    def coverage(self) -> dict[str, float]:
        """Share of pixels to expect inside so many ``std``, by that number as text; empty without a calibration."""
        return dict(self.record.sampler.get("calibration", {}).get("coverage", {}))

    @property
    def noise(self) -> float:
        """Standard deviation of the noise that was found in the data, in the units of the file; 0 if none was."""
        return float(self.record.sampler.get("noise", 0.0))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Give what a result file stores, by name."""
        arrays: dict[str, NDArray[np.generic]] = {"reconstruction": self.image}
        if self.complex_image is not None:
            arrays["complex_image"] = self.complex_image
        if self.coils is not None:
            arrays["coils"] = self.coils
        if self.variance is not None:
            arrays |= {"mean": self.image, "variance": self.variance}
        if self.affine is not None:
            arrays["affine"] = self.affine
        if self.std is not None:
            arrays["std"] = self.std
        return arrays

    def entry(self, metrics: Mapping[str, float] | None = None) -> dict[str, Any]:
        """Give what a result file says about this slice: its index, the record, and metrics where there are any."""
        return {"slice": self.record.scan.get("index", 0), **asdict(self.record), "metrics": metrics}

    def save(self, path: str | Path, metrics: Mapping[str, float] | None = None) -> None:
        """Write image, coils and record in fastMRI's submission layout (HDF5); the file appears whole or not at all.

        Parameters
        ----------
        path
            Of the file, which may exist.
        metrics
            To keep beside the record.
        """
        with result_file(Path(path), 1) as file:
            file.add(0, self.arrays())
            file.record(json.dumps([self.entry(metrics)], indent=2))


def finish(
    measurement: Measurement,
    magnitude: NDArray[np.floating],
    record: RunRecord,
    *,
    noise: float | None = None,
    image: Tensor | None = None,
    coils: Tensor | None = None,
    variance: NDArray[np.floating] | None = None,
) -> Reconstruction:
    """Give a result the noise floor, the units and the crop of its scan.

    Parameters
    ----------
    measurement
        What was reconstructed.
    magnitude
        (rows, columns) |x| RSS(s), normalised and whole.
    record
        How it came about.
    noise
        Standard deviation that was found in the data; ``None`` adds no floor.
    image
        (rows, columns) complex image, normalised and whole.
    coils
        As `Reconstruction` has them.
    variance
        (rows, columns) over chains, normalised and whole.
    """
    if not np.isfinite(magnitude).all():
        ways = "lower its steps or raise its weights"
        raise InputError(f"{record.method}: the result is not finite; {ways}, or check {measurement.source}.")
    if noise is not None and measurement.noise_floor:
        magnitude = with_noise_floor(magnitude, noise, measurement.physical_coils)

    def cropped(array: NDArray[Any], scale: float) -> NDArray[Any]:
        return centre_crop(array * scale, measurement.crop)

    return Reconstruction(
        image=np.ascontiguousarray(cropped(magnitude, measurement.scale), dtype=np.float32),
        coils=None if coils is None else coils.cpu().numpy().astype(np.complex64),
        record=record,
        variance=None
        if variance is None
        else np.ascontiguousarray(cropped(variance, measurement.scale**2), dtype=np.float32),
        complex_image=None
        if image is None
        else np.ascontiguousarray(cropped(image.cpu().numpy(), measurement.scale), dtype=np.complex64),
        affine=measurement.affine,
    )
