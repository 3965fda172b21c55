"""The U-Net of fastMRI's baselines: pooled convolutions down, transposed ones up, and shortcuts between them."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

SLOPE = 0.2
"""Of the leaky rectifiers below zero, as published."""


class ConvBlock(nn.Module):
    """Twice a 3 x 3 convolution with instance normalisation and a leaky rectifier.

    Parameters
    ----------
    inputs, outputs
        Numbers of channels.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        # Places 3 and 7 hold dropout in the published network, without parameters; names of layers count them.
        self.layers = nn.Sequential(
            nn.Conv2d(inputs, outputs, kernel_size=3, padding=1, bias=False),
            nn.InstanceNorm2d(outputs),
            nn.LeakyReLU(SLOPE),
            nn.Identity(),
            nn.Conv2d(outputs, outputs, kernel_size=3, padding=1, bias=False),
            nn.InstanceNorm2d(outputs),
            nn.LeakyReLU(SLOPE),
            nn.Identity(),
        )

    def forward(self, images: Tensor) -> Tensor:
        """Map (batch, inputs, rows, columns) to (batch, outputs, rows, columns)."""
        found: Tensor = self.layers(images)
        return found


class TransposeConvBlock(nn.Module):
    """A transposed convolution that doubles rows and columns, with instance normalisation and a leaky rectifier.

    Parameters
    ----------
    inputs, outputs
        Numbers of channels.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.ConvTranspose2d(inputs, outputs, kernel_size=2, stride=2, bias=False),
            nn.InstanceNorm2d(outputs),
            nn.LeakyReLU(SLOPE),
        )

    def forward(self, images: Tensor) -> Tensor:
        """Map (batch, inputs, rows, columns) to (batch, outputs, 2 rows, 2 columns)."""
        found: Tensor = self.layers(images)
        return found


class Unet(nn.Module):
    """A U-Net between images of the same size.

    Parameters
    ----------
    in_chans, out_chans
        Channels of input and output.
    chans
        Channels of the first level; every level below has twice as many.
    num_pool_layers
        How often rows and columns are halved.
    """

    def __init__(self, in_chans: int, out_chans: int, chans: int, num_pool_layers: int) -> None:
        super().__init__()
        widths = [chans * 2**level for level in range(num_pool_layers + 1)]
        down = zip([in_chans, *widths], widths[:-1], strict=False)
        self.down_sample_layers = nn.ModuleList(ConvBlock(wide, narrow) for wide, narrow in down)
        self.conv = ConvBlock(widths[-2], widths[-1])
        up = list(zip(widths[:0:-1], widths[-2::-1], strict=True))
        self.up_transpose_conv = nn.ModuleList(TransposeConvBlock(below, here) for below, here in up)
        blocks: list[nn.Module] = [ConvBlock(below, here) for below, here in up]
        blocks[-1] = nn.Sequential(blocks[-1], nn.Conv2d(chans, out_chans, kernel_size=1))
        self.up_conv = nn.ModuleList(blocks)

    def forward(self, images: Tensor) -> Tensor:
        """Map (batch, in_chans, rows, columns) to (batch, out_chans, rows, columns)."""
        shortcuts = []
        for layer in self.down_sample_layers:
            images = layer(images)
            shortcuts.append(images)
            images = functional.avg_pool2d(images, kernel_size=2)
        images = self.conv(images)
        for transposed, block in zip(self.up_transpose_conv, self.up_conv, strict=True):
            shortcut = shortcuts.pop()
            images = transposed(images)
            below, right = (shortcut.shape[axis] - images.shape[axis] for axis in (-2, -1))
            if below or right:  # an odd size was rounded down when it was halved
                images = functional.pad(images, (0, right, 0, below), "reflect")
            images = block(torch.cat([images, shortcut], dim=1))
        return images


class NormUnet(nn.Module):
    """A U-Net of complex images, which are normalised first and scaled back last.

    Parameters
    ----------
    chans
        Channels of the first level.
    num_pools
        How often rows and columns are halved.
    """

    def __init__(self, chans: int, num_pools: int) -> None:
        super().__init__()
        self.unet = Unet(2, 2, chans, num_pools)
        self._multiple = max(16, 2**num_pools)  # published: 16, which is 2^4 for its four levels

    def forward(self, images: Tensor) -> Tensor:
        """Map complex images (batch, rows, columns) to complex images."""
        planes = torch.view_as_real(images).movedim(-1, 1)
        flat = planes.flatten(2)
        mean = flat.mean(dim=2)[..., None, None]
        spread = flat.std(dim=2)[..., None, None].clamp_min(torch.finfo(flat.dtype).tiny)
        before, after = [], []
        for size in planes.shape[-2:]:
            missing = -size % self._multiple
            before.append(missing // 2)
            after.append(missing - missing // 2)
        padded = functional.pad((planes - mean) / spread, (before[1], after[1], before[0], after[0]))
        found = self.unet(padded)
        rows, columns = planes.shape[-2:]
        found = found[..., before[0] : before[0] + rows, before[1] : before[1] + columns] * spread + mean
        return torch.view_as_complex(found.movedim(1, -1).contiguous())
