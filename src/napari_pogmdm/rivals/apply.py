"""From undersampled k-space to a magnitude image by any of the networks, each with its published scaling."""

from __future__ import annotations

from torch import Tensor, nn

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.rivals.networks.deep_jsense import DeepJSense
from napari_pogmdm.rivals.networks.unet import Unet

_CLIP = 6.0  # standard deviations beyond which a U-Net's input is cut off, as in fastMRI
_FLAT = 1e-11  # is added to a U-Net's standard deviation, as in fastMRI, so that an empty image can be divided by it


def apply_network(network: nn.Module, kspace: Tensor, mask: Tensor) -> Tensor:
    """Reconstruct the magnitude (rows, columns), differentiable in the network's parameters.

    Parameters
    ----------
    network
        A `Unet`, `VarNet` or `DeepJSense`.
    kspace
        (coils, rows, columns), zero where nothing was measured.
    mask
        (rows, columns) bool.
    """
    if isinstance(network, Unet):
        return unet_image(network, root_sum_of_squares(to_image(kspace)))
    if isinstance(network, DeepJSense):
        scale = jsense_scale(kspace)
        found: Tensor = network(kspace / scale, mask)
        return scale * found
    found = network(kspace, mask)
    return found


def unet_image(network: nn.Module, image: Tensor) -> Tensor:
    """Let a U-Net improve a magnitude image (rows, columns)."""
    mean, spread = image.mean(), image.std() + _FLAT
    found = network(((image - mean) / spread).clamp(-_CLIP, _CLIP)[None, None])[0, 0]
    return found * spread + mean


def jsense_scale(kspace: Tensor) -> Tensor:
    """Find what Deep J-Sense divides k-space by: the largest sample, which lies in the fully sampled centre."""
    return kspace.abs().max()
