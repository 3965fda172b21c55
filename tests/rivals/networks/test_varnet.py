"""The VarNet: published layers and counts, its reading of masks, gradients, and what was measured stays."""

from __future__ import annotations

import torch

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.networks.varnet import VarNet, central_columns
from napari_pogmdm.rivals.shapes import parameter_count
from rivals.tiny import scan, tiny_network


def test_it_has_the_parameters_and_the_layers_of_the_published_one():
    with torch.device("meta"):
        network = VarNet(12, 8, 4, 18, 4)
    assert parameter_count(network) == 29_936_966
    names = set(network.state_dict())
    assert {name.split(".")[0] for name in names} == {"sens_net", "cascades"}
    assert {f"cascades.{number}.dc_weight" for number in range(12)} < names
    assert "sens_net.norm_unet.unet.down_sample_layers.0.layers.0.weight" in names
    assert "cascades.11.model.unet.up_conv.3.1.bias" in names


def test_it_finds_the_centre_of_columns_and_only_one_column_of_a_turned_mask():
    columns = torch.from_numpy(make_mask("cartesian", (64, 100), 4, 0.08, seed=3).samples)
    first, count = central_columns(columns)
    assert count >= 8
    assert count % 2 == 0
    assert bool(columns[:, first : first + count].all())
    rows = torch.from_numpy(make_mask("cartesian", (100, 64), 4, 0.08, seed=3, axis="rows").samples)
    assert central_columns(rows)[1] == 1
    assert central_columns(torch.from_numpy(make_mask("gaussian", (64, 64), 8, seed=0).samples))[1] <= 4


def test_coils_have_unit_intensity():
    kspace, mask, _ = scan()
    coils = tiny_network(Rival.VARNET).sens_net(kspace, mask)
    assert torch.allclose(root_sum_of_squares(coils), torch.ones(kspace.shape[-2:]), atol=1e-4)


def test_with_full_consistency_the_measured_samples_stay():
    """With a data-consistency weight of 1 and no refinement, every cascade puts the measured samples back."""
    kspace, mask, _ = scan()
    network = tiny_network(Rival.VARNET)
    for cascade in network.cascades:
        for values in cascade.model.parameters():
            torch.nn.init.zeros_(values)
    changed = kspace + torch.randn_like(kspace)
    coils = network.sens_net(kspace, mask)
    found = network.cascades[0](changed, kspace, mask, coils)
    zero_mean = to_image(changed)  # an all-zero network gives back the mean that was taken off before it
    refinement = (zero_mean * coils.conj()).sum(dim=0)
    mean = torch.complex(refinement.real.mean(), refinement.imag.mean())
    from napari_pogmdm.physics.fourier import to_kspace

    found = found + to_kspace(mean * coils)
    assert torch.allclose(found[:, mask], kspace[:, mask], atol=1e-5)
    assert torch.allclose(found[:, ~mask], changed[:, ~mask], atol=1e-5)


def test_gradients_of_the_whole_unrolled_network_are_right():
    kspace, mask, target = scan((32, 24), 2)
    network = tiny_network(Rival.VARNET).double()
    kspace, target = kspace.to(torch.complex128), target.double()

    def loss() -> torch.Tensor:
        return (network(kspace, mask) - target).square().sum()

    for name in ("cascades.0.dc_weight", "cascades.1.model.unet.conv.layers.0.weight"):
        values = dict(network.named_parameters())[name]
        direction = torch.randn_like(values)
        (slope,) = torch.autograd.grad(loss(), [values])
        with torch.no_grad():
            step = 1e-6
            values.add_(step * direction)
            above = loss()
            values.sub_(2 * step * direction)
            below = loss()
            values.add_(step * direction)
        expected = float((slope * direction).sum())
        assert abs(float(above - below) / (2 * step) - expected) < 1e-4 * abs(expected) + 1e-6, name
