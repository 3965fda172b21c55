from __future__ import annotations

import pytest
import torch

from napari_pogmdm.prior.networks.unet import DenoisingUNet


@pytest.fixture
def network() -> DenoisingUNet:
    torch.manual_seed(0)
    network = DenoisingUNet((6, 8), 1)
    torch.nn.init.normal_(network.tail.weight, std=0.1)
    return network


def test_begins_as_the_identity() -> None:
    x = torch.randn(2, 16, 16)
    torch.testing.assert_close(DenoisingUNet((4, 4), 1)(x, torch.tensor([0.1, 0.2])), x)


def test_is_homogeneous(network: DenoisingUNet) -> None:
    x = torch.randn(2, 16, 24)
    sigma = torch.tensor([0.1, 0.3])
    torch.testing.assert_close(network(3 * x, 3 * sigma), 3 * network(x, sigma), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(1, 16, 16), (2, 17, 31), (1, 5, 40), (3, 4, 4)])
def test_takes_images_of_any_size(network: DenoisingUNet, shape: tuple[int, int, int]) -> None:
    x = torch.randn(shape)
    found = network.denoise(x, 0.1)
    assert found.shape == x.shape
    assert not torch.equal(found, x)


def test_hears_the_noise_level(network: DenoisingUNet) -> None:
    x = torch.randn(1, 16, 16)
    assert (network.denoise(x, 0.1) - network.denoise(x, 0.4)).abs().max() > 1e-4
