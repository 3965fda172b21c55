"""A small U-Net without biases that removes noise of a known level from images.

Without biases the network is homogeneous, D(a x, a sigma) = a D(x, sigma): what it learned at one brightness holds at
all. It works on a grid of half the size, where four neighbouring pixels are four channels, and is four times as quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, pixel_shuffle, pixel_unshuffle, relu

_MARGIN = 8  # pixels of mirrored image beyond the borders, where a convolution meets zeros


class ResidualBlock(nn.Module):
    """Two convolutions whose result is added to their input.

    Parameters
    ----------
    channels
        Of input and output.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Add what the convolutions find."""
        return x + self.second(relu(self.first(x)))


class DenoisingUNet(nn.Module):
    """Noise-conditional denoiser E[x_0 | x, sigma] of real images.

    Parameters
    ----------
    channels
        At half the resolution, at a quarter, and so on.
    blocks
        Residual blocks at each resolution, on the way down and on the way up.
    """

    def __init__(self, channels: Sequence[int] = (32, 48, 64), blocks: int = 2) -> None:
        super().__init__()
        pairs = list(pairwise(channels))
        self.head = nn.Conv2d(5, channels[0], 3, padding=1, bias=False)
        self.down = nn.ModuleList(_blocks(count, blocks) for count in channels)
        self.coarser = nn.ModuleList(nn.Conv2d(fine, coarse, 2, 2, bias=False) for fine, coarse in pairs)
        self.finer = nn.ModuleList(nn.ConvTranspose2d(coarse, fine, 2, 2, bias=False) for fine, coarse in pairs)
        self.up = nn.ModuleList(_blocks(count, blocks) for count in channels[:-1])
        self.tail = nn.Conv2d(channels[0], 4, 3, padding=1, bias=False)
        nn.init.zeros_(self.tail.weight)  # so that it begins as the identity
        self.multiple = 2 ** len(channels)

    def forward(self, x: Tensor, sigma: Tensor) -> Tensor:
        """Denoise images whose sides are multiples of ``multiple``.

        Parameters
        ----------
        x
            (images, height, width).
        sigma
            Noise standard deviation of each image, (images,).

        Returns
        -------
        Like ``x``.
        """
        quarters = pixel_unshuffle(x.unsqueeze(1), 2)
        level = sigma.reshape(-1, 1, 1, 1).expand(-1, 1, *quarters.shape[-2:])
        features = self.head(torch.cat([quarters, level], dim=1).contiguous(memory_format=torch.channels_last))
        skipped = []
        for number, coarser in enumerate(self.coarser):
            skipped.append(self.down[number](features))
            features = coarser(skipped[-1])
        features = self.down[-1](features)
        for number in reversed(range(len(self.finer))):
            features = self.up[number](self.finer[number](features) + skipped[number])
        noise = pixel_shuffle(self.tail(features), 2).squeeze(1)
        return x - noise

    def denoise(self, x: Tensor, sigma: float) -> Tensor:
        """Denoise images (images, height, width) of any size, mirrored at their borders."""
        height, width = x.shape[-2:]
        margin = min(_MARGIN, height - 1, width - 1)
        beyond = [margin + (-(side + 2 * margin)) % self.multiple for side in (height, width)]
        mode = "reflect" if max(beyond) < min(height, width) else "replicate"
        padded = pad(x.unsqueeze(1), (margin, beyond[1], margin, beyond[0]), mode=mode).squeeze(1)
        cleaned: Tensor = self(padded, torch.full((len(x),), sigma, dtype=x.dtype, device=x.device))
        return cleaned[:, margin : margin + height, margin : margin + width]


def _blocks(channels: int, count: int) -> nn.Sequential:
    return nn.Sequential(*(ResidualBlock(channels) for _ in range(count)))
