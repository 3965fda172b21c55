from __future__ import annotations

import pytest
import torch

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.physics.coil_kernels import combine_sets, seen
from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.physics.smooth_band import SmoothBand
from napari_pogmdm.recon.sampler.algorithms.data_step import Effort, solve_image, solve_jointly

SHAPE = (10, 12)


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.complex64, generator=torch.Generator().manual_seed(seed))


@pytest.fixture
def scene():
    """Two chains, two map sets, three coils."""
    sense = Sense(torch.rand(SHAPE, generator=torch.Generator().manual_seed(1)) < 0.5)
    band = SmoothBand(SHAPE, cycles=3, corner=2)
    coils = band.images(drawn(2, 2, 3, 6, 6, seed=2))
    return sense, band, drawn(2, 2, *SHAPE, seed=3), coils, sense.resample(drawn(3, *SHAPE, seed=4))


def test_seen_and_combine_are_adjoint(scene):
    _, _, image, coils, _ = scene
    other = drawn(2, 3, *SHAPE, seed=9)
    left = torch.vdot(seen(image, coils).flatten(), other.flatten())
    right = torch.vdot(image.flatten(), combine_sets(other, coils).flatten())
    torch.testing.assert_close(left, right, rtol=1e-4, atol=1e-3)


def test_the_image_solves_its_normal_equations(scene):
    sense, _, start, coils, zero_filled = scene
    weight = torch.tensor([0.3, 2.0])
    misfit = zero_filled - sense.resample(seen(start, coils))
    found = solve_image(sense, start, coils, misfit, weight, Effort(60))
    left = combine_sets(zero_filled - sense.resample(seen(found, coils)), coils)
    torch.testing.assert_close(left, weight[:, None, None, None] * (found - start), rtol=1e-3, atol=1e-3)
    alone = solve_image(sense, start[1:], coils[1:], misfit[1:], weight[1:], Effort(7))
    together = solve_image(sense, start, coils, misfit, weight, Effort(7))
    torch.testing.assert_close(together[1:], alone, rtol=1e-4, atol=1e-4)


def test_image_and_coils_solve_the_linearised_problem_together(scene):
    """A wrong sign, a missing conjugate or a forgotten penalty leaves a gradient."""
    sense, band, image, coils, zero_filled = scene
    weight, smoothing = torch.tensor([0.5, 1.0]), torch.tensor([0.2, 0.1])
    new_image, new_coils = solve_jointly(sense, band, zero_filled, image, coils, weight, smoothing, Effort(400))
    change, turn = (new_image - image).requires_grad_(), band.coefficients(new_coils - coils).requires_grad_()
    before = band.coefficients(coils)
    response = seen(change, coils) + seen(image, band.images(turn))
    left = zero_filled - sense.resample(seen(image, coils)) - sense.resample(response)
    rough = smoothing[:, None, None, None, None] * band.roughness
    objective = (
        left.abs().square().sum()
        + (weight[:, None, None, None] * change.abs().square()).sum()
        + (rough * (before + turn).abs().square()).sum()
    )
    size = float(objective.detach())
    for gradient in torch.autograd.grad(objective, (change, turn)):
        assert float(gradient.abs().max()) < 1e-2 * size**0.5


def test_a_joint_step_lowers_the_true_objective(scene):
    sense, band, image, coils, _ = scene
    truth = seen(image, coils)
    zero_filled = sense.resample(truth)
    weight, smoothing = torch.tensor([0.03, 0.03]), torch.tensor([1e-4, 1e-4])
    near_image, near_coils = image + 0.02 * drawn(2, 2, *SHAPE, seed=5), coils + 0.01 * drawn(*coils.shape, seed=6)
    before = float((zero_filled - sense.resample(seen(near_image, near_coils))).norm())
    found = solve_jointly(sense, band, zero_filled, near_image, near_coils, weight, smoothing, Effort(30))
    assert float((zero_filled - sense.resample(seen(*found))).norm()) < 0.5 * before


def test_chains_do_not_know_each_other(scene):
    sense, band, image, coils, zero_filled = scene
    weight, smoothing = torch.tensor([0.5, 1.0]), torch.tensor([0.2, 0.1])
    together = solve_jointly(sense, band, zero_filled, image, coils, weight, smoothing, Effort(5))
    alone = solve_jointly(sense, band, zero_filled, image[1:], coils[1:], weight[1:], smoothing[1:], Effort(5))
    torch.testing.assert_close(together[0][1:], alone[0], rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(together[1][1:], alone[1], rtol=1e-3, atol=1e-3)


def test_both_can_be_cancelled(scene):
    sense, band, image, coils, zero_filled = scene
    one = torch.ones(2)
    with pytest.raises(Cancelled):
        solve_image(sense, image, coils, zero_filled.expand(2, -1, -1, -1), one, Effort(3, lambda: True))
    with pytest.raises(Cancelled):
        solve_jointly(sense, band, zero_filled, image, coils, one, one, Effort(3, lambda: True))
