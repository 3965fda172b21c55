"""A first guess of the coils, from what the mask left of k-space."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import low_pass_coils, normalise
from napari_pogmdm.physics.espirit import SMALLEST_CALIBRATION, espirit_coils
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.newton import newton_start
from napari_pogmdm.recon.measurement import Measurement

_WIDEST = 32  # samples a side of the low-pass; coils are smooth, and more would bring detail of the image into them
_CALIBRATION = 16  # samples a side from which `auto` trusts the low-pass; with fewer, coils come out too smooth


def _low_pass(measurement: Measurement) -> Tensor:
    sampled = measurement.mask.centre
    rows, columns = (
        min(max(have, SMALLEST_CALIBRATION), _WIDEST, size)
        for have, size in zip(sampled, measurement.shape, strict=True)
    )
    return low_pass_coils(measurement.kspace, (rows, columns))


def _espirit(measurement: Measurement) -> Tensor:
    return normalise(espirit_coils(measurement.kspace, measurement.mask.centre))


def _zero_filled(measurement: Measurement) -> Tensor:
    return normalise(to_image(measurement.kspace))


_STARTS: dict[str, Callable[[Measurement], Tensor]] = {
    "low-pass": _low_pass,
    "espirit": _espirit,
    "zero-filled": _zero_filled,
}


def chosen_start(measurement: Measurement, start: str = CoilStart.AUTO) -> str:
    """Name the start that is used where one is asked for: ``auto`` goes by what the mask left of k-space's centre.

    One coil needs no more than the low-pass phase. A wide, fully sampled centre gives good low-pass coils; without
    one, the Gauss-Newton start uses all samples.
    """
    if start not in {*CoilStart}:
        raise InputError(f"coil_start: unknown {start!r}; choose from {', '.join(CoilStart)}.")
    if measurement.kspace.shape[0] == 1:
        return "low-pass"
    if start == CoilStart.AUTO:
        return "low-pass" if min(measurement.mask.centre) >= _CALIBRATION else "newton"
    return str(start)


def body_coil(measurement: Measurement) -> Tensor:
    """Give the one coil of the single-coil experiments, which is 1 everywhere."""
    if measurement.kspace.shape[0] != 1:
        raise InputError(
            f"real image: needs single-coil data, but {measurement.source} has {measurement.kspace.shape[0]} coils."
        )
    return torch.ones_like(measurement.kspace)


def starting_coils(
    measurement: Measurement, start: str = "low-pass", cancelled: Callable[[], bool] | None = None
) -> Tensor:
    """Estimate coils (coils, rows, columns) with a root sum of squares of 1.

    Parameters
    ----------
    measurement
        What the mask left.
    start
        "low-pass" takes the tapered centre of k-space, whether or not it is fully sampled; "espirit" calibrates on the
        fully sampled centre; "newton" takes regularised Gauss-Newton steps on image and coils and needs no centre;
        "zero-filled" divides the aliased coil images by their RSS, as the paper does; "auto" chooses.
    cancelled
        Asked inside the long ones.
    """
    chosen = chosen_start(measurement, start)
    if chosen == "newton":
        return newton_start(measurement, cancelled=cancelled)[1]
    return _STARTS[chosen](measurement)
