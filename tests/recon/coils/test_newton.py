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
