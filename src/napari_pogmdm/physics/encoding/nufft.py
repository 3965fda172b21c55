"""The Fourier transform at any frequency, by finufft on a CPU and cufinufft on CUDA; both are optional."""

from __future__ import annotations

import math
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.threads import side_by_side

NEEDS_FINUFFT = "needs finufft: pip install 'napari-pogmdm[nufft]'"
_PRECISION = 1e-9  # relative error asked for; the few transforms before a run are not what takes time


def has_nufft() -> bool:
    """Whether finufft is installed."""
    return find_spec("finufft") is not None


def nufft(images: Tensor, positions: Tensor) -> Tensor:
    """Sum z(x) exp(-2 pi i k x) over the pixels, over the root of their number: the centred transform F at any k.

    Parameters
    ----------
    images
        (..., rows, columns) complex; the middle pixel ``n // 2`` is at x = 0.
    positions
        (samples, 2) k along rows and columns in cycles per pixel.

    Returns
    -------
    (..., samples)
    """
    rows, columns = images.shape[-2:]
    stack = images.reshape(-1, rows, columns).contiguous().resolve_conj()
    found = _run("nufft2d2", stack, positions, None, -1)
    return found.reshape(*images.shape[:-2], len(positions)) / math.sqrt(rows * columns)


def adjoint_nufft(samples: Tensor, positions: Tensor, shape: tuple[int, int]) -> Tensor:
    """Apply the adjoint of `nufft`.

    Parameters
    ----------
    samples
        (..., samples) complex.
    positions
        (samples, 2) in cycles per pixel.
    shape
        Rows and columns of the images.

    Returns
    -------
    (..., rows, columns)
    """
    stack = samples.reshape(-1, samples.shape[-1]).contiguous().resolve_conj()
    found = _run("nufft2d1", stack, positions, shape, 1)
    return found.reshape(*samples.shape[:-1], *shape) / math.sqrt(shape[0] * shape[1])


def _run(name: str, values: Tensor, positions: Tensor, shape: tuple[int, int] | None, sign: int) -> Tensor:
    """Call one of the library's functions, which take radians, where the values are, and in double precision.

    In single precision, phases at the border of an image would be off by what an image has as rounding errors in all.
    """
    angles = (2 * math.pi * positions.to(torch.float64)).to(values.device)
    precise = values.to(torch.complex128)
    options: dict[str, Any] = {"isign": sign, "eps": _PRECISION}
    given = () if shape is None else (shape,)
    if values.is_cuda and find_spec("cufinufft") is not None:
        library = import_module("cufinufft")
        down, across = angles[:, 0].contiguous(), angles[:, 1].contiguous()
        return torch.as_tensor(getattr(library, name)(down, across, precise, *given, **options)).to(values.dtype)
    if not has_nufft():
        raise InputError(f"trajectory: {NEEDS_FINUFFT}.")
    import finufft

    options["nthreads"] = 1  # with more of them, it depends on chance in which order a place is added to
    places = [angles[:, axis].contiguous().cpu().numpy() for axis in (0, 1)]
    stack = precise.detach().cpu().numpy()
    found: list[Any] = [None] * len(stack)

    def work(one: int) -> None:
        found[one] = getattr(finufft, name)(*places, stack[one], *given, **options)

    side_by_side([partial(work, one) for one in range(len(stack))])
    return torch.from_numpy(np.stack(found)).to(values.device, values.dtype)
