"""How noisy a measurement is, whatever its mask left of the rim of k-space."""

from __future__ import annotations

import torch

from napari_pogmdm.recon.measurement import Measurement

_OUTERMOST = 0.1
_FEWEST = 64


def estimate_data_noise(measurement: Measurement) -> float:
    """Standard deviation of a real component of the normalised data.

    The tenth of the measured samples that lies furthest out is taken for noise; what signal is left there makes the estimate
    a little too high, never too low.
    """
    mask = measurement.mask_tensor
    padding = (measurement.kspace == 0).all(dim=0)
    distances = [
        (torch.arange(size, device=mask.device) - size // 2) / (size / 2) for size in measurement.shape
    ]
    radius = torch.hypot(distances[0][:, None], distances[1][None, :])[mask & ~padding]
    count = min(radius.numel(), max(_FEWEST, int(_OUTERMOST * radius.numel())))
    outermost = radius.topk(count).indices
    samples = measurement.kspace[:, mask & ~padding][:, outermost]
    parts = torch.cat((samples.real.flatten(), samples.imag.flatten()))
    return 1.4826 * float(parts.abs().median())
