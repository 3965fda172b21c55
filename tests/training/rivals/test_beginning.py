"""Networks begin with what can be had without training: the zero-filled image, and coils of low frequencies."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.rivals.apply import apply_network
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.networks.unet import NormUnet
from napari_pogmdm.rivals.shapes import JsenseShape, VarnetShape
from napari_pogmdm.training.rivals.beginning import begin_quietly, pass_through
from napari_pogmdm.training.rivals.settings import RivalSettings
from napari_pogmdm.training.rivals.state import RivalState
from rivals.tiny import TINY, scan, tiny_network


def test_a_network_of_four_channels_gives_back_what_it_gets():
    torch.manual_seed(0)
    network = NormUnet(4, 2)
    images = torch.randn(3, 32, 48, dtype=torch.complex64)
    assert not torch.allclose(network(images), images, atol=0.1)
    pass_through(network)
    torch.testing.assert_close(network(images), images, rtol=1e-3, atol=1e-3)


def test_a_varnet_of_two_cascades_begins_with_the_zero_filled_image():
    torch.manual_seed(0)
    network = VarnetShape(cascades=2, chans=4, pools=1, sens_chans=4, sens_pools=1).make()
    begin_quietly(network)
    kspace, mask, _ = scan((48, 32))
    with torch.no_grad():
        found = network(kspace, mask)
    plain = root_sum_of_squares(to_image(kspace))
    assert float((found - plain).abs().mean()) < 0.1 * float(plain.mean())  # a constant is left where the mask has gaps


def test_deep_jsense_begins_without_its_networks():
    torch.manual_seed(0)
    network = JsenseShape(channels=3, blocks=2).make()
    begin_quietly(network)
    image = torch.randn(1, 16, 16, dtype=torch.complex64)
    with torch.no_grad():
        torch.testing.assert_close(network.image_net(image), image)


@pytest.mark.parametrize("rival", list(Rival))
def test_a_training_that_starts_with_trained_weights_begins_with_their_image(rival):
    trained = tiny_network(rival, seed=5)
    state = RivalState.begin(TINY[rival], RivalSettings(), trained)
    kspace, mask, _ = scan()
    with torch.no_grad():
        found, expected = (apply_network(network, kspace, mask) for network in (state.network, trained))
        plain = apply_network(RivalState.begin(TINY[rival], RivalSettings()).network, kspace, mask)
    assert torch.equal(found, expected)
    assert not torch.equal(found, plain)
    assert all(torch.equal(values, state.averaged[name]) for name, values in trained.named_parameters())


def test_cascades_may_grow_from_trained_weights():
    trained = tiny_network(Rival.VARNET, seed=5)
    known = dict(trained.named_parameters())
    state = RivalState.begin(replace(TINY[Rival.VARNET], cascades=3), RivalSettings(), trained)
    grown = dict(state.network.named_parameters())
    assert all(torch.equal(grown[name], values) for name, values in known.items())
    assert {name.split(".")[1] for name in set(grown) - set(known)} == {"2"}


@pytest.mark.parametrize("changes", [{"chans": 3}, {"pools": 3}, {"cascades": 1}, {"sens_chans": 4}])
def test_other_sizes_than_those_of_trained_weights_are_refused(changes):
    with pytest.raises(InputError, match="only the number of cascades may grow"):
        RivalState.begin(replace(TINY[Rival.VARNET], **changes), RivalSettings(), tiny_network(Rival.VARNET))
