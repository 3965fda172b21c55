from __future__ import annotations

from pathlib import Path

import torch

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.training.checkpoint import TrainingState
from napari_pogmdm.training.export import export_prior
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.slices import load_slices
from napari_pogmdm.training.trainer import Rhythm, train

SMALL = PriorConfiguration(filter_count=6)


QUICK = TrainingSettings(iterations=12, batch=3, patch=40, sigma_max=0.5, weight_rate=3e-3, filter_rate=1e-2, seed=3)


def run(folder: Path, out: Path, configuration: PriorConfiguration, settings: TrainingSettings) -> TrainingState:
    out.mkdir(exist_ok=True)
    state = TrainingState.begin(configuration, settings)
    train(state, load_slices(folder), out, lambda progress: None, rhythm=Rhythm(6, 4))
    return state


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
