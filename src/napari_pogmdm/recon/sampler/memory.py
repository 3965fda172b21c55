"""How much memory a chain takes, stated before a run begins."""

from __future__ import annotations

import math

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.runtime.memory import free_memory

_SHARE = 0.5  # of the free memory for chains side by side; the rest is for tables, transforms and others
_ARRAYS_PER_COIL = 5  # coil images that a data step holds at once: coils, residual, spectrum, direction, result
_ARRAYS_PER_IMAGE = 16  # images that a step of the prior and the conjugate gradients hold at once
_MOST_TOGETHER = 64  # beyond that a GPU is busy anyway
_COMPLEX = 8  # bytes of a complex number in single precision
_GIBIBYTE = 2**30  # bytes; what people read memory in


def memory_of_chain(measurement: Measurement, map_sets: int = 1) -> int:
    """Bytes that one chain takes while it runs."""
    pixels = math.prod(measurement.shape)
    return pixels * _COMPLEX * map_sets * (_ARRAYS_PER_COIL * measurement.coils + _ARRAYS_PER_IMAGE)


def check_memory(measurement: Measurement, map_sets: int = 1) -> None:
    """Refuse a run whose first chain cannot fit into what is free on its device."""
    needed, free = memory_of_chain(measurement, map_sets), free_memory(measurement.kspace.device)
    if needed > free:
        raise InputError(
            f"{measurement.source}: a run needs about {needed / _GIBIBYTE:.1f} GB of memory on "
            f"{measurement.kspace.device.type}, and {free / _GIBIBYTE:.1f} GB are free; choose fewer virtual coils, "
            "close other programs, or take another device."
        )


def chains_that_fit(measurement: Measurement) -> int:
    """Chains to run side by side: one on a CPU, where more compete for the cache; on a GPU, what half of it holds."""
    device = measurement.kspace.device
    if device.type == "cpu":
        return 1
    return max(1, min(_MOST_TOGETHER, int(_SHARE * free_memory(device)) // memory_of_chain(measurement)))
