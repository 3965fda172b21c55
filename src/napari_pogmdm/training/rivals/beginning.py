"""How networks begin, so that the first step of a training finds something that already works."""

from __future__ import annotations

import torch
from torch import nn

from napari_pogmdm.errors import InputError
from napari_pogmdm.rivals.networks.deep_jsense import DeepJSense
from napari_pogmdm.rivals.networks.unet import SLOPE, ConvBlock, NormUnet
from napari_pogmdm.rivals.networks.varnet import VarNet

_LANES = 4  # channels that carry an image through: its real and imaginary part, each with both signs


def begin_quietly(network: nn.Module) -> None:
    """Let unrolled networks add nothing at first.

    A VarNet then begins with the zero-filled image and with coils of its low frequencies, Deep J-Sense with conjugate
    gradients alone.
    """
    last: tuple[str, ...] = ()
    if isinstance(network, VarNet):
        last = (f".up_conv.{network.pools - 1}.1.",)
        for part in network.modules():
            if isinstance(part, NormUnet):
                pass_through(part)
    elif isinstance(network, DeepJSense):
        blocks = len(network.image_net.ResNetBlocks)
        last = (f"ResNetBlocks.{blocks - 1}.conv0.", f"ResNetBlocks.{blocks - 1}.conv2.")
    for name, values in network.named_parameters():
        if any(layer in name for layer in last) and not name.startswith("sens_net."):
            nn.init.zeros_(values)


def begin_with(network: nn.Module, trained: nn.Module) -> None:
    """Give a network the weights of a trained one; cascades that only the new one has stay as they began.

    Raises
    ------
    InputError
        If anything else differs between the two.
    """
    own = dict(network.named_parameters())
    known = dict(trained.named_parameters())
    if any(name not in own or own[name].shape != values.shape for name, values in known.items()):
        raise InputError("start: holds a network of other sizes; only the number of cascades may grow.")
    with torch.no_grad():
        for name, values in known.items():
            own[name].copy_(values)


def pass_through(network: NormUnet) -> None:
    """Let a network of complex images give back what it gets; one that is too narrow for that stays as it is.

    A leaky rectifier of a value and that of its negative differ by the value itself times one plus the slope, and
    instance normalisation changes nothing about an image that is normalised already.
    """
    down, up = network.unet.down_sample_layers[0], network.unet.up_conv[-1]
    assert isinstance(down, ConvBlock)
    assert isinstance(up, nn.Sequential)
    block, final = up[0], up[1]
    assert isinstance(block, ConvBlock)
    assert isinstance(final, nn.Conv2d)
    width = final.in_channels
    if width < _LANES:
        return
    with torch.no_grad():
        places = (down.layers[0], None), (down.layers[4], 0), (block.layers[0], width), (block.layers[4], 0)
        for convolution, first in places:
            assert isinstance(convolution, nn.Conv2d)
            _carry(convolution.weight, first)
        nn.init.zeros_(final.weight)
        assert final.bias is not None
        nn.init.zeros_(final.bias)
        for part in range(2):
            final.weight[part, 2 * part, 0, 0] = 1 / (1 + SLOPE)
            final.weight[part, 2 * part + 1, 0, 0] = -1 / (1 + SLOPE)


def _carry(weight: torch.Tensor, first: int | None) -> None:
    """Let a 3 x 3 convolution hand the lanes on.

    Parameters
    ----------
    weight
        Of the convolution; changed in place.
    first
        Where the lanes lie in its input; ``None`` if its input is the image itself.
    """
    weight[:_LANES] = 0
    for lane in range(_LANES):
        part, sign = lane // 2, 1 - 2 * (lane % 2)
        if first is None:
            weight[lane, part, 1, 1] = sign
        else:
            weight[lane, first + 2 * part, 1, 1] = sign / (1 + SLOPE)
            weight[lane, first + 2 * part + 1, 1, 1] = -sign / (1 + SLOPE)
