"""The data step of splitting: the image, or image and coils together, that fit the data and stay near an estimate.

Images are (chains, sets, rows, columns) and coils (chains, sets, coils, rows, columns): a scan whose field of view
wraps needs a second set of maps, and what the scanner sees is the sum over sets of s x. Every chain has its own
steps, so it is the same alone and beside others.
"""

from __future__ import annotations

from torch import Tensor

from napari_pogmdm.physics.coil_kernels import combine_sets, linearised_adjoint, seen
from napari_pogmdm.physics.normal import image_normal, joint_normal
from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.physics.smooth_band import SmoothBand
from napari_pogmdm.recon.conjugate_gradients import Effort, Vector, chainwise, conjugate_gradients

_LEAST_ENERGY = 1e-30  # mean square of an image; an empty one must not divide by zero


def solve_image(sense: Sense, image: Tensor, coils: Tensor, misfit: Tensor, weight: Tensor, effort: Effort) -> Tensor:
    """Minimise |A x - y|^2 + w |x - x_0|^2 over the image, from x_0.

    Parameters
    ----------
    sense
        The forward operator.
    image
        x_0; if it is real, x stays real.
    coils
        s, which stay as they are.
    misfit
        Coil images (chains, coils, rows, columns) of y - A x_0.
    weight
        w, (chains,).
    effort
        Conjugate gradients to take.
    """

    def project(full: Tensor) -> Tensor:
        return full if image.is_complex() else full.real

    def normal(vector: Vector) -> Vector:
        (direction,) = vector
        curved = project(image_normal(sense, direction, coils))
        return (curved + weight[:, None, None, None] * direction,)

    inverse = sense.encoding.inverse(weight[:, None, None, None])

    def easily(left: Vector) -> Vector:
        return (project(inverse(left[0])),)

    residual = project(combine_sets(misfit, coils))
    precondition = None if sense.encoding.uniform else easily
    return conjugate_gradients(normal, (image,), (residual,), effort, chainwise, precondition)[0]


def solve_jointly(
    sense: Sense,
    band: SmoothBand,
    zero_filled: Tensor,
    image: Tensor,
    coils: Tensor,
    weight: Tensor,
    smoothing: Tensor,
    effort: Effort,
    near: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """Minimise |A(x, s) - y|^2 + w |x - x_1|^2 + b R(s - s_1) over image and smooth coils, linearised around x_0, s_0.

    Parameters
    ----------
    sense
        The forward operator.
    band
        The slow cosines that coils are made of; R is its roughness.
    zero_filled
        Coil images of the data, (coils, rows, columns), or with an axis of chains before.
    image, coils
        x_0 and s_0.
    weight, smoothing
        w and b, (chains,).
    effort
        Conjugate gradients to take.
    near
        x_1, and the coefficients of s_1; by default x_0, and no coils at all.

    Returns
    -------
    The image and band-limited coils.
    """
    weight = weight[:, None, None, None]
    rough = smoothing[:, None, None, None, None] * band.roughness
    coefficients = band.coefficients(coils)
    coils = band.images(coefficients)
    energy = sense.encoding.seen_energy(image).clamp_min(_LEAST_ENERGY)[:, None, None, None, None]
    inverse, easy_coils = sense.encoding.inverse(weight), 1 / (energy + rough)

    def normal(direction: Vector) -> Vector:
        for_image, for_coils = joint_normal(sense, band, image, coils, *direction)
        return for_image + weight * direction[0], for_coils + rough * direction[1]

    def precondition(left: Vector) -> Vector:
        """Divide by the diagonal that a mask without structure, or the density of a trajectory, would have."""
        return inverse(left[0]), easy_coils * left[1]

    first, away = (image, coefficients) if near is None else (near[0], coefficients - near[1])
    for_image, for_coils = linearised_adjoint(zero_filled - sense.resample(seen(first, coils)), image, coils)
    left = (for_image, band.coefficients(for_coils) - rough * away)
    found = conjugate_gradients(normal, (first, coefficients), left, effort, chainwise, precondition)
    return found[0], band.images(found[1])
