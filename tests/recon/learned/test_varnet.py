"""The VarNet as a method refuses what is not on the grid."""

from __future__ import annotations

import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.measure import measure
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.rivals.names import Rival
from rivals.tiny import tiny_network


def test_a_trajectory_is_refused_in_a_sentence(tmp_path):
    pytest.importorskip("finufft")
    from napari_pogmdm.physics.trajectories.kinds import make_trajectory

    scan = simulate_scan(shepp_logan((32, 32)), 2, 0.01)
    measurement = measure(scan, trajectory=make_trajectory("radial", scan.shape, readouts=12))
    for rival in (Rival.VARNET, Rival.JSENSE):
        path = tmp_path / f"{rival}.pt"
        torch.save(tiny_network(rival).state_dict(), path)
        with pytest.raises(InputError, match="works only on the grid"):
            reconstruct(measurement, rival.value, model=path)
