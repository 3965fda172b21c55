"""Work on coil images in fixed blocks of coils, which threads take as they come free.

A block goes through all of an operation at once, products with coils, transforms and back, while it is in a
processor's cache. What is summed over coils is summed block by block, always in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from torch import Tensor

from napari_pogmdm.runtime.threads import side_by_side

_MOST_BLOCKS = 8  # of a chain: enough for the processors of most computers, and few images to add up in the end
_LEAST_PIXELS = 2**17  # of a block, 1 MB of complex numbers; smaller ones spend their time on being handed out


def coil_blocks(coils: int, shape: Sequence[int]) -> list[slice]:
    """Cut coils with images of this shape into at most eight blocks as alike as can be; nothing else decides where."""
    count = min(_MOST_BLOCKS, -(-coils // max(1, _LEAST_PIXELS // math.prod(shape[-2:]))))
    edges = [coils * block // count for block in range(count + 1)]
    return [slice(*edges[block : block + 2]) for block in range(count)]


def over_coils(work: Callable[[int, int, slice], None], shape: Sequence[int]) -> None:
    """Call ``work(chain, block, coils of the block)`` for coil images (chains, ..., coils, rows, columns)."""
    blocks = list(enumerate(coil_blocks(shape[-3], shape)))
    side_by_side([partial(work, chain, block, which) for chain in range(shape[0]) for block, which in blocks])


def cut_into_blocks(*arrays: Tensor) -> bool:
    """Whether blocks gain anything: on the CPU, and where no gradient is asked for."""
    return all(array.device.type == "cpu" and not array.requires_grad for array in arrays)
