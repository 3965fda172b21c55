"""Compiled products of coils and images between the Fourier transforms of a data step, in one pass over the arrays.

The same in torch's own operations takes several passes, each with an array of its own, and such arrays together no
longer fit into a processor's cache. Elsewhere than on the CPU, and with several map sets, torch's operations are used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from napari_pogmdm.arrays import ComplexImage
from napari_pogmdm.runtime.compiled import compiled
from napari_pogmdm.runtime.threads import side_by_side, thread_count


def seen(image: Tensor, coils: Tensor) -> Tensor:
    """Coil images of all sets together, (chains, coils, rows, columns)."""
    products = coils * image.unsqueeze(-3)
    return products[:, 0] if products.shape[1] == 1 else products.sum(dim=1)


def combine_sets(coil_images: Tensor, coils: Tensor) -> Tensor:
    """Apply the adjoint of `seen` for fixed coils: sum conj(s) z over coils, set by set."""
    if not compiled_loops_fit(coils, coil_images):
        return torch.linalg.vecdot(coils, coil_images.unsqueeze(1), dim=-3)
    combined = torch.empty((*coils.shape[:2], *coils.shape[-2:]), dtype=coils.dtype)
    _by_rows(_combine_rows, coil_images, coils[:, 0], combined[:, 0])
    return combined


def linearised(change: Tensor, image: Tensor, coils: Tensor, image_change: Tensor) -> Tensor:
    """Change of what is seen when coils and image change: ds x + s dx, summed over sets; overwrites the coils' change.

    Parameters
    ----------
    change
        ds, (chains, sets, coils, rows, columns).
    image
        x, (chains, sets, rows, columns).
    coils
        s, like ``change``.
    image_change
        dx, like ``image``.
    """
    if not compiled_loops_fit(coils, change, image, image_change, written=change):
        change.mul_(image.unsqueeze(-3)).addcmul_(coils, image_change.unsqueeze(-3))
        return change[:, 0] if change.shape[1] == 1 else change.sum(dim=1)
    _by_rows(_spread_rows, change[:, 0], image[:, 0], coils[:, 0], image_change[:, 0])
    return change[:, 0]


def linearised_adjoint(response: Tensor, image: Tensor, coils: Tensor) -> tuple[Tensor, Tensor]:
    """Apply the adjoint of `linearised`: sum conj(s) z over coils, and conj(x) z; may overwrite the response z.

    Parameters
    ----------
    response
        z, (chains, coils, rows, columns).
    image
        x, (chains, sets, rows, columns).
    coils
        s, (chains, sets, coils, rows, columns).
    """
    if not compiled_loops_fit(coils, response, image, written=response):
        return combine_sets(response, coils), image.conj().unsqueeze(-3) * response.unsqueeze(1)
    combined = torch.empty_like(image)
    _by_rows(_gather_rows, response, image[:, 0], coils[:, 0], combined[:, 0])
    return combined, response.unsqueeze(1)


def compiled_loops_fit(coils: Tensor, *others: Tensor, written: Tensor | None = None) -> bool:
    """Whether the compiled loops can take these: single complex on the CPU, as many chains, and one map set.

    What is written must be an array of its own, neither conjugated when read nor the same memory for several chains.
    """
    arrays = (coils, *others)
    single = all(array.device.type == "cpu" and array.dtype == torch.complex64 for array in arrays)
    alike = all(array.shape[0] == coils.shape[0] and not array.requires_grad for array in arrays)
    own = written is None or (written.is_contiguous() and not written.is_conj())
    return single and alike and own and coils.shape[1] == 1


def _by_rows(kernel: Callable[..., None], *arrays: Tensor) -> None:
    """Run a kernel over bands of rows of every chain; every row is the same, however many bands there are."""
    threads = thread_count()
    height = arrays[0].shape[-2]
    edges = [height * band // threads for band in range(threads + 1)]
    chains: list[tuple[Any, ...]] = [
        tuple(array[chain].resolve_conj().numpy() for array in arrays) for chain in range(arrays[0].shape[0])
    ]
    jobs = [partial(kernel, *one, *edges[band : band + 2]) for one in chains for band in range(threads)]
    side_by_side(jobs, threads)


@compiled(fastmath=True, error_model="numpy")
def _spread_rows(
    change: ComplexImage, image: ComplexImage, coils: ComplexImage, image_change: ComplexImage, first: int, last: int
) -> None:
    for coil in range(change.shape[0]):
        for y in range(first, last):
            for x in range(image.shape[1]):
                change[coil, y, x] = change[coil, y, x] * image[y, x] + coils[coil, y, x] * image_change[y, x]


@compiled(fastmath=True, error_model="numpy")
def _combine_rows(response: ComplexImage, coils: ComplexImage, combined: ComplexImage, first: int, last: int) -> None:
    for y in range(first, last):
        combined[y] = 0
        for coil in range(response.shape[0]):
            for x in range(combined.shape[1]):
                combined[y, x] += coils[coil, y, x].conjugate() * response[coil, y, x]


@compiled(fastmath=True, error_model="numpy")
def _unexplained_rows(
    response: ComplexImage, data: ComplexImage, coils: ComplexImage, combined: ComplexImage, first: int, last: int
) -> None:
    for y in range(first, last):
        combined[y] = 0
        for coil in range(response.shape[0]):
            for x in range(combined.shape[1]):
                combined[y, x] += coils[coil, y, x].conjugate() * (data[coil, y, x] - response[coil, y, x])


@compiled(fastmath=True, error_model="numpy")
def _gather_rows(
    response: ComplexImage, image: ComplexImage, coils: ComplexImage, combined: ComplexImage, first: int, last: int
) -> None:
    for y in range(first, last):
        combined[y] = 0
        for coil in range(response.shape[0]):
            for x in range(combined.shape[1]):
                value = response[coil, y, x]
                combined[y, x] += coils[coil, y, x].conjugate() * value
                response[coil, y, x] = image[y, x].conjugate() * value


def spread(change: ComplexImage, image: ComplexImage, coils: ComplexImage, image_change: ComplexImage) -> None:
    """Write ds x + s dx over ds, (coils, rows, columns)."""
    _spread_rows(change, image, coils, image_change, 0, change.shape[1])


def add_combined(response: ComplexImage, coils: ComplexImage, combined: ComplexImage) -> None:
    """Write sum conj(s) z over coils."""
    _combine_rows(response, coils, combined, 0, response.shape[1])


def add_unexplained(response: ComplexImage, data: ComplexImage, coils: ComplexImage, combined: ComplexImage) -> None:
    """Write sum conj(s) (d - z) over coils."""
    _unexplained_rows(response, data, coils, combined, 0, response.shape[1])


def gather(response: ComplexImage, image: ComplexImage, coils: ComplexImage, combined: ComplexImage) -> None:
    """Write sum conj(s) z over coils, and conj(x) z over z."""
    _gather_rows(response, image, coils, combined, 0, response.shape[1])
