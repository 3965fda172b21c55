"""A first guess of the coils, from the measured part of k-space."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import low_pass_coils, normalise
from napari_pogmdm.physics.espirit import SMALLEST_CALIBRATION, espirit_coils
from napari_pogmdm.recon.coils.calibration import calibrated_coils
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.newton import SMOOTH_PLAN, NewtonPlan, newton_start
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.runtime.threads import fixed_blocks

_WIDEST = 32  # samples a side of the low-pass; coils are smooth, and more would bring detail of the image into them
_CALIBRATION = 16  # samples a side from which `auto` trusts the low-pass; with fewer, coils come out too smooth


def _low_pass(measurement: Measurement) -> Tensor:
    sampled = measurement.sampling.centre
    rows, columns = (
        min(max(have, SMALLEST_CALIBRATION), _WIDEST, size)
        for have, size in zip(sampled, measurement.shape, strict=True)
    )
    return low_pass_coils(measurement.gridded, (rows, columns))


def _espirit(measurement: Measurement) -> Tensor:
    return normalise(espirit_coils(measurement.gridded, measurement.sampling.centre))


def _zero_filled(measurement: Measurement) -> Tensor:
    return normalise(measurement.first_images)


def _calibrated(measurement: Measurement) -> Tensor:
    return calibrated_coils(measurement, _low_pass(measurement))


def _calibrated_coil(measurement: Measurement) -> Tensor:
    strongest = torch.zeros((measurement.coils, *measurement.shape), dtype=torch.complex64)
    strongest[measurement.kspace.abs().square().flatten(1).sum(dim=1).argmax()] = 1
    return calibrated_coils(measurement, strongest)


_STARTS: dict[str, Callable[[Measurement], Tensor]] = {
    "low-pass": _low_pass,
    "espirit": _espirit,
    "zero-filled": _zero_filled,
    "calibrated": _calibrated,
    "calibrated-coil": _calibrated_coil,
}
# Three Newton steps are best for large images (validation scan, C4/4, fast, 3 to 9 steps: 38.0 37.8 37.5 36.9 36.5 36.4
# 36.3 dB), six to nine for small ones (the same at 96 x 96, C4/8r: 22.3 31.0 31.5 31.7 31.9 31.9 31.9 dB).
_NEWTON = {
    "newton": NewtonPlan(),
    "newton-6": NewtonPlan(steps=6),
    "newton-9": NewtonPlan(steps=9),
    "newton-smooth": SMOOTH_PLAN,
}


def chosen_start(measurement: Measurement, start: str = CoilStart.AUTO) -> str:
    """Name the start that is used where one is asked for: ``auto`` goes by what the mask left of k-space's centre.

    One coil needs no more than the low-pass phase. A wide, fully sampled centre gives good low-pass coils; without
    one, the Gauss-Newton start uses all samples.
    """
    if start not in {*CoilStart}:
        raise InputError(f"coil_start: unknown {start!r}; choose from {', '.join(CoilStart)}.")
    if measurement.coils == 1:
        return "low-pass"
    if start == CoilStart.AUTO:
        return "low-pass" if min(measurement.sampling.centre) >= _CALIBRATION else "newton"
    return str(start)


def body_coil(measurement: Measurement) -> Tensor:
    """Give the one coil of the single-coil experiments, which is 1 everywhere."""
    if measurement.coils != 1:
        raise InputError(f"real image: needs single-coil data, but {measurement.source} has {measurement.coils} coils.")
    return torch.ones((1, *measurement.shape), dtype=measurement.kspace.dtype, device=measurement.kspace.device)


@fixed_blocks()
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
        fully sampled centre by SigPy; "calibrated" and "calibrated-coil" do so without it, in the phase of the low-pass
        coils or of the strongest coil; "newton", "newton-6" and "newton-9" take three, six or nine regularised
        Gauss-Newton steps on image and coils and need no centre; "newton-smooth" takes nine with smoother coils, which
        leave the phase of the object to the image; "zero-filled" divides the aliased coil images by their
        RSS, as the paper does; "auto" goes by the centre.
    cancelled
        Asked inside the long ones.
    """
    chosen = chosen_start(measurement, start)
    if chosen in _NEWTON:
        return newton_start(measurement, _NEWTON[chosen], cancelled)[1]
    return _STARTS[chosen](measurement)
