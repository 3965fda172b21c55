"""Sizes of the networks: what a checkpoint must fit, and the small ones that are trained and shipped here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import nn

from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.networks.deep_jsense import CG_ITERATIONS, KERNEL, ROUNDS, DeepJSense
from napari_pogmdm.rivals.networks.unet import Unet
from napari_pogmdm.rivals.networks.varnet import VarNet
from napari_pogmdm.settings import Settings, setting

_WIDTHS = (1, 1024)  # channels; fastMRI's widest has 256
_LEVELS = (1, 8)  # halvings; at 8, an image of 256 pixels is one pixel
_MOST_ROUNDS = 64  # several times those of any published network; time and memory grow with them


@dataclass(frozen=True)
class UnetShape(Settings):
    """Sizes of a U-Net; fastMRI's has 256 channels and 4 levels."""

    title: ClassVar[str] = "U-Net"
    kind: ClassVar[Rival] = Rival.UNET

    chans: int = setting(16, "channels of the first level", within=_WIDTHS)
    pools: int = setting(4, "how often rows and columns are halved", within=_LEVELS)

    def make(self) -> nn.Module:
        """Make a network with random weights."""
        return Unet(1, 1, self.chans, self.pools)


@dataclass(frozen=True)
class VarnetShape(Settings):
    """Sizes of a VarNet; fastMRI's has 12 cascades of 18 channels and 4 levels, for coils 8 channels and 4 levels."""

    title: ClassVar[str] = "VarNet"
    kind: ClassVar[Rival] = Rival.VARNET

    cascades: int = setting(6, "cascades of refinement and data consistency", within=(1, _MOST_ROUNDS))
    chans: int = setting(12, "channels of the first level of every cascade", within=_WIDTHS)
    pools: int = setting(2, "how often a cascade halves rows and columns", within=_LEVELS)
    sens_chans: int = setting(4, "channels of the first level of the network for coils", within=_WIDTHS)
    sens_pools: int = setting(3, "how often the network for coils halves rows and columns", within=_LEVELS)

    def make(self) -> nn.Module:
        """Make a network with random weights."""
        return VarNet(self.cascades, self.sens_chans, self.sens_pools, self.chans, self.pools)


@dataclass(frozen=True)
class JsenseShape(Settings):
    """Sizes of Deep J-Sense; the published one has 64 channels and 4 blocks."""

    title: ClassVar[str] = "Deep J-Sense"
    kind: ClassVar[Rival] = Rival.JSENSE

    channels: int = setting(16, "channels of both networks", within=_WIDTHS)
    blocks: int = setting(4, "residual blocks of both networks", within=(2, _MOST_ROUNDS))
    rounds: int = setting(ROUNDS, "rounds of coils and image", within=(1, _MOST_ROUNDS))
    cg_iterations: int = setting(
        CG_ITERATIONS, "steps of conjugate gradients in each half of a round", within=(1, _MOST_ROUNDS)
    )
    kernel_rows: int = setting(KERNEL[0], "rows of the coils' kernel in k-space", within=(1, 99), odd=True)
    kernel_columns: int = setting(KERNEL[1], "columns of the coils' kernel in k-space", within=(1, 99), odd=True)

    def make(self) -> nn.Module:
        """Make a network with random weights."""
        kernel = (self.kernel_rows, self.kernel_columns)
        return DeepJSense(self.channels, self.blocks, self.rounds, self.cg_iterations, kernel)


NetworkShape = UnetShape | VarnetShape | JsenseShape
SHAPES: dict[Rival, type[NetworkShape]] = {
    Rival.UNET: UnetShape,
    Rival.VARNET: VarnetShape,
    Rival.JSENSE: JsenseShape,
}


def parameter_count(network: nn.Module) -> int:
    """Count the learned numbers of a network."""
    return sum(values.numel() for values in network.parameters())
