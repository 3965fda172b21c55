"""How the data's noise appears in a method's image: noise maps and g-factors by pseudo-replicas.

Fresh noise of the scan's own size is added to the measured samples, many times, and each copy is reconstructed. The
standard deviation over copies is the noise of the image. It is what the trade knows of parallel imaging, and less than
an uncertainty: what a method invents, or smooths away, is the same in all copies.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.method_names import parse_sampler, run_method
from napari_pogmdm.recon.measurement import Measurement
from napari_pogmdm.recon.noise_floor import outer_noise
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.moments import Moments
from napari_pogmdm.recon.sampler.settings import SamplerSettings


@dataclass(frozen=True, eq=False)
class NoiseMap:
    """The noise of an image.

    Attributes
    ----------
    result
        Of the data as they are.
    deviation
        (rows, columns) standard deviation over replicas, in the units of the file.
    g_factor
        (rows, columns): ``deviation`` over the noise of a full scan times the square root of the acceleration. Below 1,
        a method has taken noise away.
    noise
        Standard deviation of a real component of the data, in the units of the file.
    """

    result: Reconstruction
    deviation: FloatImage
    g_factor: FloatImage
    noise: float


def noise_map(
    measurement: Measurement,
    method: str,
    *,
    replicas: int = 16,
    noise: float | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> NoiseMap:
    """Reconstruct replicas of a measurement.

    Parameters
    ----------
    measurement
        The data.
    method
        Name of a method, such as ``cg-sense`` or ``pogmdm``. What the data choose for a sampler, they choose once, and
        its own noise is the same in all replicas.
    replicas
        How many, two or more.
    noise
        Standard deviation of a real component of the normalised data; by default what the learned method found, or else
        that of the outermost samples.
    seed
        Of the fresh noise.
    progress
        Told the replicas done and the replicas in all.
    """
    if replicas < 2:
        raise InputError(f"replicas: {replicas} have no spread; give 2 or more.")
    result = run_method(method, measurement)
    if noise is None:
        noise = result.noise / measurement.scale or outer_noise(measurement)
    sampler = parse_sampler(method)
    if sampler is not None:
        sampler = replace(sampler, settings=SamplerSettings.from_dict(result.record.settings))
    generator = torch.Generator().manual_seed(seed)
    moments = Moments.empty((result.image.shape[0], result.image.shape[1]))
    for done in range(replicas):
        copy = _replica(measurement, noise, generator)
        again = run_method(method, copy) if sampler is None else sampler.run(copy)
        moments = moments.add(again.image.astype(np.float64))
        if progress is not None:
            progress(done + 1, replicas)
    deviation = np.sqrt(moments.variance).astype(np.float32)
    full = noise * measurement.scale * math.sqrt(measurement.noisy_acceleration)
    return NoiseMap(result, deviation, deviation / np.float32(full), noise * measurement.scale)


def _replica(measurement: Measurement, noise: float, generator: torch.Generator) -> Measurement:
    """Add noise to all samples that hold some, drawn on the CPU."""
    parts = torch.randn((2, *measurement.kspace.shape), generator=generator)
    drawn = torch.complex(parts[0], parts[1]).to(measurement.kspace.device)
    return replace(measurement, kspace=measurement.kspace + noise * drawn * (measurement.kspace != 0))
