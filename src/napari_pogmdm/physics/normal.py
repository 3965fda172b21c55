"""What data steps repeat: the gradient, and the operators J^H J for an image with known coils, and for image and coils.

Images are (chains, sets, rows, columns), coils (chains, sets, coils, rows, columns). With one map set on the CPU, every
block of coils goes through all of it at once.
"""

from __future__ import annotations

import torch
from torch import Tensor

from napari_pogmdm.physics.coil_blocks import coil_blocks, over_coils
from napari_pogmdm.physics.coil_kernels import (
    add_combined,
    add_unexplained,
    combine_sets,
    compiled_loops_fit,
    gather,
    linearised,
    linearised_adjoint,
    seen,
    spread,
)
from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.physics.smooth_band import SmoothBand


def data_gradient(sense: Sense, image: Tensor, coils: Tensor, zero_filled: Tensor) -> Tensor:
    """Gradient of the data term with respect to the image: -sum conj(s) E^H (y - E (s x)).

    Along a trajectory, what is not explained is divided by the density of the samples, so that one step suits all.

    Parameters
    ----------
    sense
        A.
    image, coils
        Where the gradient is taken.
    zero_filled
        Coil images E^H y, (coils, rows, columns).
    """
    data = zero_filled.expand(coils.shape[0], *zero_filled.shape)
    if not sense.encoding.uniform or not compiled_loops_fit(coils, data):
        residual = data - sense.resample(seen(image, coils))
        return -combine_sets(sense.encoding.compensated(residual), coils)
    sums = _empty_sums(coils)

    def work(chain: int, block: int, which: slice) -> None:
        own = coils[chain, 0, which].resolve_conj()
        explained = sense.encoding.resample(own * image[chain, 0], which)
        own_data = data[chain, which].resolve_conj().numpy()
        add_unexplained(explained.numpy(), own_data, own.numpy(), sums[chain, block].numpy())

    over_coils(work, coils.shape)
    return sums.sum(dim=1, keepdim=True).neg_()


def image_normal(sense: Sense, direction: Tensor, coils: Tensor) -> Tensor:
    """Apply A^H A for fixed coils to an image, which may be real."""
    if not compiled_loops_fit(coils):
        return combine_sets(sense.resample(seen(direction, coils)), coils)
    sums = _empty_sums(coils)

    def work(chain: int, block: int, which: slice) -> None:
        own = coils[chain, 0, which].resolve_conj()
        response = sense.encoding.resample(own * direction[chain, 0], which)
        add_combined(response.numpy(), own.numpy(), sums[chain, block].numpy())

    over_coils(work, coils.shape)
    return sums.sum(dim=1, keepdim=True)


def joint_normal(
    sense: Sense, band: SmoothBand, image: Tensor, coils: Tensor, image_change: Tensor, coefficients: Tensor
) -> tuple[Tensor, Tensor]:
    """Apply J^H J to a change of image and coils, where J is A linearised around them.

    Parameters
    ----------
    sense
        A.
    band
        What coils are made of.
    image, coils
        Where A is linearised.
    image_change
        Like ``image``.
    coefficients
        Of the change of the coils, (chains, sets, coils, orders, orders).

    Returns
    -------
    Like the last two.
    """
    if not compiled_loops_fit(coils, image, image_change):
        response = sense.resample(linearised(band.images(coefficients), image, coils, image_change))
        for_image, for_coils = linearised_adjoint(response, image, coils)
        return for_image, band.coefficients(for_coils)
    sums, found = _empty_sums(coils), torch.empty_like(coefficients)

    def work(chain: int, block: int, which: slice) -> None:
        here, own = image[chain, 0].resolve_conj().numpy(), coils[chain, 0, which].resolve_conj().numpy()
        change = band.images(coefficients[chain, 0, which])
        spread(change.numpy(), here, own, image_change[chain, 0].resolve_conj().numpy())
        response = sense.encoding.resample(change, which)
        gather(response.numpy(), here, own, sums[chain, block].numpy())
        found[chain, 0, which] = band.coefficients(response)

    over_coils(work, coils.shape)
    return sums.sum(dim=1, keepdim=True), found


def _empty_sums(coils: Tensor) -> Tensor:
    """Make room for an image of every block: (chains, blocks, rows, columns)."""
    blocks = len(coil_blocks(coils.shape[2], coils.shape))
    return torch.empty((coils.shape[0], blocks, *coils.shape[-2:]), dtype=coils.dtype)
