"""Deep J-Sense: published layers and counts, its operators, gradients, and what was measured stays."""

from __future__ import annotations

import torch

from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.networks.deep_jsense import DeepJSense, conjugate_gradients
from napari_pogmdm.rivals.networks.jsense_model import JsenseModel
from napari_pogmdm.rivals.shapes import parameter_count
from rivals.tiny import scan, tiny_network


def test_it_has_the_layers_and_the_parameters_of_the_published_one():
    with torch.device("meta"):
        network = DeepJSense(64, 4)
    assert parameter_count(network) == 447_490
    layers = {
        f"{net}.ResNetBlocks.{block}.conv{number}.net.1.weight"
        for net in ("image_net", "maps_net")
        for block in range(4)
        for number in ((0, 1, 2) if block in (0, 3) else (1, 2))
    }
    assert set(network.state_dict()) == {"block1_l2lam", "block2_l2lam", *layers}


def test_conjugate_gradients_solve():
    torch.manual_seed(0)
    matrix = torch.randn(6, 6, dtype=torch.complex128)
    matrix = matrix @ matrix.conj().T + torch.eye(6)
    goal = torch.randn(6, dtype=torch.complex128)
    found = conjugate_gradients(lambda x: matrix @ x, goal, torch.zeros_like(goal), 20)
    assert torch.allclose(matrix @ found, goal, atol=1e-6)


def test_gradients_of_conjugate_gradients_are_right_before_they_have_converged():
    torch.manual_seed(0)
    root = torch.randn(5, 5, dtype=torch.complex128, requires_grad=True)
    goal, start = (torch.randn(5, dtype=torch.complex128, requires_grad=True) for _ in range(2))
    weight = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)

    def solved(root: torch.Tensor, goal: torch.Tensor, start: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return conjugate_gradients(lambda x: root.mH @ (root @ x) + weight * x, goal, start, 3)

    assert torch.autograd.gradcheck(solved, (root, goal, start, weight))


def test_without_pull_and_networks_the_measured_samples_stay():
    """With a vanishing weight of the networks' results, many steps of conjugate gradients fit the data."""
    kspace, mask, _ = scan((24, 24), 3)
    kspace = (kspace / kspace.abs().max()).to(torch.complex128)
    network = DeepJSense(3, 2, cg_iterations=60, kernel=(7, 7)).double()  # all zero: it changes nothing
    with torch.no_grad():
        for values in network.parameters():
            values.zero_()
        network.block1_l2lam.fill_(1e-9)
        network.block2_l2lam.fill_(1e-9)
        image, kernel = network.begin(kspace, mask)
        for number in range(3):
            image, kernel = network.round(number, image, kernel, kspace, mask)
        model = JsenseModel(kspace, mask, (7, 7))
        left = (mask * (model.predict(image, model.maps(kernel)) - kspace)).abs().square().sum()
    assert float(left) < 1e-3 * float(kspace.abs().square().sum())


def test_gradients_of_the_whole_unrolled_network_are_right():
    kspace, mask, target = scan((20, 18), 2)
    network = tiny_network(Rival.JSENSE).double()
    kspace = (kspace / kspace.abs().max()).to(torch.complex128)

    def loss() -> torch.Tensor:
        return (network(kspace, mask) - target).square().sum()

    for name in ("block2_l2lam", "image_net.ResNetBlocks.0.conv1.net.1.weight"):
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
        assert abs(float(above - below) / (2 * step) - expected) < 1e-3 * abs(expected) + 1e-6, name
