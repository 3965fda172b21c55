"""The end-to-end variational network: a network for the coils, then cascades of refinement and data consistency."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image, to_kspace
from napari_pogmdm.rivals.networks.unet import NormUnet


def central_columns(mask: Tensor) -> tuple[int, int]:
    """Find the fully sampled columns in the middle by the first row of a mask, as the published network does.

    Parameters
    ----------
    mask
        (rows, columns) bool.

    Returns
    -------
    First column and number of columns. In a mask that is not of whole columns, the first row says little about the
    centre: usually one column is all that is found.
    """
    row = mask[0]
    middle = row.shape[0] // 2
    # where nothing is missing, the published search finds the place 0
    left = int(row[:middle].flip(0).int().argmin())
    right = int(row[middle:].int().argmin())
    count = max(2 * min(left, right), 1)
    return (row.shape[0] - count + 1) // 2, count


class SensitivityModel(nn.Module):
    """Coils from the fully sampled centre of k-space, each refined by the same network.

    Parameters
    ----------
    chans
        Channels of the network's first level.
    num_pools
        How often rows and columns are halved.
    """

    def __init__(self, chans: int, num_pools: int) -> None:
        super().__init__()
        self.norm_unet = NormUnet(chans, num_pools)

    def forward(self, kspace: Tensor, mask: Tensor) -> Tensor:
        """Estimate coils (coils, rows, columns) with a root sum of squares of 1 from k-space of the same shape."""
        first, count = central_columns(mask)
        centre = torch.zeros_like(kspace)
        centre[..., first : first + count] = kspace[..., first : first + count]
        coils = self.norm_unet(to_image(centre))
        return coils / root_sum_of_squares(coils).clamp_min(torch.finfo(torch.float32).tiny)


class VarNetBlock(nn.Module):
    """One cascade: k-space moves towards what was measured, and by what a network makes of the image.

    Parameters
    ----------
    chans
        Channels of the network's first level.
    num_pools
        How often rows and columns are halved.
    """

    def __init__(self, chans: int, num_pools: int) -> None:
        super().__init__()
        self.model = NormUnet(chans, num_pools)
        self.dc_weight = nn.Parameter(torch.ones(1))

    def forward(self, current: Tensor, measured: Tensor, mask: Tensor, coils: Tensor) -> Tensor:
        """Refine k-space (coils, rows, columns).

        Parameters
        ----------
        current
            K-space so far.
        measured
            As measured, zero elsewhere.
        mask
            (rows, columns) bool.
        coils
            Sensitivities (coils, rows, columns).
        """
        image = (to_image(current) * coils.conj()).sum(dim=0, keepdim=True)
        refinement = to_kspace(self.model(image) * coils)
        return current - self.dc_weight * mask * (current - measured) - refinement


class VarNet(nn.Module):
    """The whole network.

    Parameters
    ----------
    num_cascades
        Of refinement.
    sens_chans, sens_pools
        Of the network for coils: channels of the first level, and how often sizes are halved.
    chans, pools
        Of the cascades' networks.
    """

    def __init__(self, num_cascades: int, sens_chans: int, sens_pools: int, chans: int, pools: int) -> None:
        super().__init__()
        self.sens_net = SensitivityModel(sens_chans, sens_pools)
        self.pools = pools
        self.cascades = nn.ModuleList(VarNetBlock(chans, pools) for _ in range(num_cascades))

    def forward(self, kspace: Tensor, mask: Tensor) -> Tensor:
        """Reconstruct the magnitude (rows, columns) from measured k-space (coils, rows, columns) and its mask."""
        coils = self.sens_net(kspace, mask)
        current = kspace
        for cascade in self.cascades:
            current = cascade(current, kspace, mask, coils)
        return root_sum_of_squares(to_image(current))
