from __future__ import annotations

from pathlib import Path

import torch

from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.training.export import export_prior
from napari_pogmdm.training.volumes.slices import load_slices
from training.quick_training import QUICK, SMALL, run


def test_a_weight_file_tells_how_it_came_about(volumes_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    state = run(volumes_folder, out, SMALL, QUICK)
    path = export_prior(state, load_slices(volumes_folder), out / "mine.safetensors", "mine")
    prior = load_prior(path)
    story = prior.information["training"]
    assert story["iterations"] == 12
    assert story["settings"]["seed"] == 3
    assert story["volumes"]["first.npy"] == {"train": 7, "validation": 1, "test": 2}
    torch.testing.assert_close(prior.parameters["filters"].float(), state.averaged["filters"])
