from __future__ import annotations

import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan, simulated_coils
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.coils.start import starting_coils
from napari_pogmdm.recon.measurement import undersample


def test_newton_coils_are_better_than_aliased_ones_where_the_centre_is_thin():
    scan = simulate_scan(shepp_logan((96, 96)), coils=6, noise=0.005)
    measurement = undersample(scan, make_mask("gaussian", (96, 96), 5, seed=1))
    true = torch.from_numpy(simulated_coils(6, (96, 96)))
    inside = torch.from_numpy(shepp_logan((96, 96))) > 0.1

    def agreement(start: str) -> float:
        found = starting_coils(measurement, start)
        return float(torch.linalg.vecdot(found, true, dim=0).abs()[inside].mean())

    assert agreement("newton") > 0.98
    assert agreement("newton") > agreement("zero-filled")


def test_smooth_coils_leave_a_fast_phase_of_the_object_to_the_image():
    rows, columns = (torch.linspace(-1, 1, 96)[shape] for shape in ((slice(None), None), (None, slice(None))))
    radius = (rows**2 + columns**2).sqrt()
    ball = (radius < 0.8) * torch.polar(torch.ones(()), 12 * radius**2)
    scan = simulate_scan(ball.numpy(), coils=8, noise=0.003)
    measurement = undersample(scan, make_mask("cartesian", (96, 96), 3, 0.1, seed=1))

    def turns(start: str) -> float:
        """Change of the coils' common phase from the middle to the border of the ball, against that of the object."""
        found = starting_coils(measurement, start)
        true = torch.from_numpy(simulated_coils(8, (96, 96)))
        common = torch.linalg.vecdot(true, found, dim=0)
        along = common[48, 48:84]
        steps = (along[1:] * along[:-1].conj()).angle().sum()
        return abs(float(steps)) / 12

    assert turns("newton-smooth") < 0.5 * turns("newton-9")
