"""From a measurement to an image, by the name of the method."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import centre_crop
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.recon.classical.cg_sense import CgSense, CgSenseSettings
from napari_pogmdm.recon.classical.joint_tv import JointTotalVariation, JointTvSettings
from napari_pogmdm.recon.classical.tv import TotalVariation, TvSettings
from napari_pogmdm.recon.classical.zero_filled import ZeroFilled
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.noise_floor import residual_noise, with_noise_floor
from napari_pogmdm.recon.record import RunRecord, record_run
from napari_pogmdm.recon.stepper import Cancelled, Estimate, Progress, Stepper, run

Settings = CgSenseSettings | TvSettings | JointTvSettings


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """A finished image.

    Attributes
    ----------
    image
        (rows, columns) float32 magnitude, cropped, in the units of the file.
    coils
        (coils, rows, columns) complex64, whole, where the method estimates them.
    variance
        (rows, columns) float32 over chains, cropped, in squared units of the file, where there are several; ``image``
        is their mean then.
    record
        How it came about.
    """

    image: NDArray[np.float32]
    coils: NDArray[np.complex64] | None
    record: RunRecord
    variance: NDArray[np.float32] | None = None

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Give what a result file stores, by name."""
        arrays: dict[str, NDArray[np.generic]] = {"reconstruction": self.image}
        if self.coils is not None:
            arrays["coils"] = self.coils
        if self.variance is not None:
            arrays |= {"mean": self.image, "variance": self.variance}
        return arrays


_METHODS: dict[str, tuple[type[Settings] | None, Callable[..., Stepper[Any]]]] = {
    "zero-filled": (None, ZeroFilled),
    "cg-sense": (CgSenseSettings, CgSense),
    "tv": (TvSettings, TotalVariation),
    "joint-tv": (JointTvSettings, JointTotalVariation),
}
METHODS = tuple(_METHODS)
_LARGEST = 1_000_000


def settings_of(method: str, values: dict[str, Any] | None = None) -> Settings | None:
    """Make a method's settings from plain data, or its defaults; ``None`` for a method that has none."""
    if method not in _METHODS:
        raise InputError(f"method: unknown {method!r}; choose from {', '.join(METHODS)}.")
    kind = _METHODS[method][0]
    if kind is None:
        return None
    known = {field.name: field.default for field in fields(kind)}
    for name, value in (values or {}).items():
        if name not in known:
            raise InputError(f"settings: {method} has no {name!r}; it has {', '.join(known)}.")
        fits = type(value) is type(known[name]) or (isinstance(known[name], float) and type(value) is int)
        if not fits or (isinstance(value, (int, float)) and not 0 <= value <= _LARGEST):
            raise InputError(f"settings: {name} of {method} cannot be {value!r}; it is usually {known[name]!r}.")
    return kind(**(values or {}))


def make_stepper(measurement: Measurement, method: str, settings: Settings | None = None) -> Stepper[Any]:
    """Bind a method to a measurement, ready to be stepped."""
    used = settings or settings_of(method)
    make = _METHODS[method][1]
    return make(measurement) if used is None else make(measurement, used)


def _intensity(measurement: Measurement, estimate: Estimate) -> NDArray[np.floating]:
    """Magnitude of an estimate, with the noise floor that its reference has, where the coils are known."""
    magnitude = estimate.magnitude.cpu().numpy()
    if estimate.coils is None or not measurement.noise_floor:
        return magnitude
    sense = Sense(measurement.mask_tensor)
    residual = sense.residual(estimate.image, estimate.coils, sense.zero_filled(measurement.kspace))
    noise = residual_noise(residual[None], estimate.magnitude[None], measurement.noisy_acceleration)
    return with_noise_floor(magnitude, float(noise[0]), measurement.physical_coils)


def reconstruct(
    measurement: Measurement,
    method: str = "joint-tv",
    settings: Settings | None = None,
    *,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Reconstruction:
    """Run a method to its end, or until ``cancelled()`` returns true.

    Parameters
    ----------
    method
        One of `METHODS`.
    settings
        The method's settings; its defaults if ``None``.
    progress
        Called with the steps done and the steps in all.
    """
    begun = time.perf_counter()
    stepper = make_stepper(measurement, method, settings)
    state, steps = run(stepper, progress, cancelled)
    estimate = stepper.estimate(state)
    magnitude = (_intensity(measurement, estimate) * measurement.scale).astype(np.float32)
    if not np.isfinite(magnitude).all():
        raise InputError(f"{method}: the result is not finite; raise its weight or check {measurement.source}.")
    used = getattr(stepper, "settings", None)
    return Reconstruction(
        image=np.ascontiguousarray(centre_crop(magnitude, measurement.crop), dtype=np.float32),
        coils=None if estimate.coils is None else estimate.coils.cpu().numpy().astype(np.complex64),
        record=record_run(
            measurement,
            method,
            {} if used is None else asdict(used),
            steps,
            stopped=steps < stepper.steps,
            seconds=time.perf_counter() - begun,
        ),
    )
