"""Networks of a few hundred parameters, and a small simulated scan for them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import Measurement, undersample
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.shapes import JsenseShape, NetworkShape, UnetShape, VarnetShape

TINY: dict[Rival, NetworkShape] = {
    Rival.UNET: UnetShape(chans=2, pools=2),
    Rival.VARNET: VarnetShape(cascades=2, chans=2, pools=2, sens_chans=2, sens_pools=1),
    Rival.JSENSE: JsenseShape(channels=3, blocks=3, rounds=2, cg_iterations=2, kernel_rows=7, kernel_columns=5),
}


def tiny_network(rival: Rival, seed: int = 0) -> nn.Module:
    torch.manual_seed(seed)
    return TINY[rival].make()


def scan(shape: tuple[int, int] = (48, 40), coils: int = 3, noise: float = 0.0) -> tuple[Tensor, Tensor, Tensor]:
    """K-space, mask and reference of a small head."""
    measurement = measured(shape, coils, noise)
    return measurement.kspace, measurement.measured, torch.from_numpy(shepp_logan(shape))


def measured(
    shape: tuple[int, int] = (48, 40), coils: int = 3, noise: float = 0.0, axis: str = "columns"
) -> Measurement:
    mask = make_mask("cartesian", shape, 3, 0.16, seed=2, axis=axis)
    return undersample(simulate_scan(shepp_logan(shape), coils, noise, seed=1), mask)
