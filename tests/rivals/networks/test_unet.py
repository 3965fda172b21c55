"""The U-Net: names of layers and counts as published, any size of image."""

from __future__ import annotations

import torch

from napari_pogmdm.rivals.networks.unet import NormUnet, Unet
from napari_pogmdm.rivals.shapes import parameter_count

LAYERS = {
    *(f"down_sample_layers.{level}.layers.{place}.weight" for level in range(4) for place in (0, 4)),
    *(f"conv.layers.{place}.weight" for place in (0, 4)),
    *(f"up_transpose_conv.{level}.layers.0.weight" for level in range(4)),
    *(f"up_conv.{level}.layers.{place}.weight" for level in range(3) for place in (0, 4)),
    *(f"up_conv.3.0.layers.{place}.weight" for place in (0, 4)),
    "up_conv.3.1.weight",
    "up_conv.3.1.bias",
}


def test_it_has_the_layers_and_the_parameters_of_the_published_one():
    with torch.device("meta"):
        network = Unet(1, 1, 256, 4)
    assert set(network.state_dict()) == LAYERS
    assert parameter_count(network) == 496_372_225


def test_it_takes_images_of_any_size():
    network = Unet(1, 1, 2, 2)
    for size in ((16, 16), (17, 22), (31, 19)):
        assert network(torch.randn(1, 1, *size)).shape == (1, 1, *size)


def test_the_normalised_one_follows_the_scale_and_the_turn_of_its_input():
    torch.manual_seed(0)
    network = NormUnet(2, 2)
    image = torch.randn(1, 20, 18, dtype=torch.complex64)
    assert torch.allclose(network(7 * image), 7 * network(image), rtol=1e-4, atol=1e-4)
    assert network(torch.zeros_like(image)).isfinite().all()
