"""Kinds of masks, and `make_mask`, which makes one by name: Cartesian, radial, spiral, Gaussian, Poisson-disc."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.lines import (
    Lines,
    fastmri_equispaced_lines,
    fastmri_matched_lines,
    fastmri_random_lines,
    partial_fourier_lines,
    random_lines,
)
from napari_pogmdm.physics.masks.mask import Mask, Samples
from napari_pogmdm.physics.masks.names import (
    DEFAULT_ACCELERATION,
    DEFAULT_AXIS,
    DEFAULT_CENTRE_FRACTION,
    DEFAULT_MASK_SEED,
    LARGEST_MASK_SEED,
    Axis,
    MaskKind,
)
from napari_pogmdm.physics.masks.scattered import closest, gaussian, radial, spiral

LINE_KINDS: dict[str, Callable[[int, float, int, int], Lines]] = {
    MaskKind.CARTESIAN: random_lines,
    MaskKind.FASTMRI_RANDOM: fastmri_random_lines,
    MaskKind.FASTMRI_EQUISPACED: fastmri_equispaced_lines,
    MaskKind.FASTMRI_MATCHED: fastmri_matched_lines,
    MaskKind.PARTIAL_FOURIER: partial_fourier_lines,
}


def make_mask(
    kind: str,
    shape: tuple[int, int],
    acceleration: float = DEFAULT_ACCELERATION,
    centre_fraction: float = DEFAULT_CENTRE_FRACTION,
    seed: int = DEFAULT_MASK_SEED,
    axis: str = DEFAULT_AXIS,
) -> Mask:
    """Make a mask of the given kind.

    Parameters
    ----------
    kind
        One of `MaskKind`.
    shape
        Rows and columns of k-space.
    acceleration
        Ratio of grid points to sampled points to aim for.
    centre_fraction
        Share of fully sampled lines in the middle (ACS); radial, spiral and Gaussian masks have none.
    seed
        The same seed gives the same mask; radial and spiral masks have nothing random.
    axis
        Direction of whole lines: "columns", or "rows" for the rotated mask.
    """
    if kind not in {*MaskKind}:
        raise InputError(f"mask: unknown kind {kind!r}; choose from {', '.join(MaskKind)}.")
    if axis not in {*Axis}:
        raise InputError(f"axis: {axis!r} is neither columns nor rows.")
    kind, axis = str(kind), str(axis)  # plain words, which is what records and scripts keep
    if min(shape) < 2:
        raise InputError(f"shape: {shape[0]} x {shape[1]} is too small for a mask.")
    if not 0 <= seed <= LARGEST_MASK_SEED:
        raise InputError(f"seed: {seed} is not a whole number from 0 to 2^32 - 1.")
    if not (np.isfinite(acceleration) and acceleration > 1):
        raise InputError(f"acceleration: {acceleration:g} leaves nothing out; give a number above 1, such as 4.")
    if not 0 <= centre_fraction < 1:
        raise InputError(f"acs: {centre_fraction:g} is not a share of all lines; give a number from 0 to below 1.")
    if kind in LINE_KINDS:
        samples = _lines(kind, shape, acceleration, centre_fraction, seed, axis)
        return _checked(Mask(samples, kind, acceleration, centre_fraction, seed, axis))
    if kind == "radial":
        return _checked(Mask(closest(lambda n: radial(shape, n), acceleration, 4 * max(shape)), kind, acceleration))
    if kind == "golden-angle":
        golden = closest(lambda n: radial(shape, n, golden=True), acceleration, 4 * max(shape))
        return _checked(Mask(golden, kind, acceleration))
    if kind == "spiral":
        return _checked(Mask(closest(lambda n: spiral(shape, n), acceleration, 4 * max(shape)), kind, acceleration))
    if kind == "gaussian":
        return _checked(Mask(gaussian(shape, acceleration, seed), kind, acceleration, seed=seed))
    from napari_pogmdm.physics.masks.poisson_disc import poisson_disc

    drawn = poisson_disc(shape, acceleration, centre_fraction, seed)
    return _checked(Mask(drawn, kind, acceleration, centre_fraction, seed))


def _lines(
    kind: str, shape: tuple[int, int], acceleration: float, centre_fraction: float, seed: int, axis: str
) -> Samples:
    count = shape[1] if axis == "columns" else shape[0]
    low = round(count * centre_fraction)
    if count / acceleration < max(low, 1) or (kind == "fastmri-matched" and count / acceleration <= low):
        raise InputError(
            f"acceleration: {acceleration:g} leaves {count / acceleration:.0f} of {count} lines, no more than the "
            f"{low} of the centre region; lower the acceleration or the ACS."
        )
    lines = LINE_KINDS[kind](count, acceleration, low, seed)
    return np.broadcast_to(lines if axis == "columns" else lines[:, None], shape).copy()


def _checked(mask: Mask) -> Mask:
    if mask.samples.all():
        raise InputError(f"acceleration: {mask.asked_acceleration:g} leaves nothing out at this size; ask for more.")
    return mask
