"""Training for use lowers the error of whole reconstructions, goes on exactly, and is for small filters alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.prior.configuration import VARIANTS
from napari_pogmdm.prior.weights import load_experts
from napari_pogmdm.training.checkpoint import TrainingState, load_checkpoint
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.trainer import train
from napari_pogmdm.training.unrolled.scans import ScanSource
from napari_pogmdm.training.unrolled.steps import LEVELS, by_experts, error, reconstruct
from napari_pogmdm.training.unrolled.tables import LevelGradient, Tables
from napari_pogmdm.training.unrolled.use import Use
from napari_pogmdm.training.volumes.slices import load_slices
from training.quick_training import same

SETTINGS = TrainingSettings(
    iterations=3, batch=2, sigma_max=0.5, weight_rate=2e-3, filter_rate=4e-3, scans=1, step_levels=1, average=0.5
)


def begun() -> TrainingState:
    start = load_experts("flf-tc", "Training")
    return TrainingState.begin(start.configuration, SETTINGS, start)


def test_a_training_that_is_cut_goes_on_exactly(large_volumes: Path, tmp_path: Path) -> None:
    volumes = load_slices(large_volumes)
    whole, cut = begun(), begun()
    for name in ("whole", "cut"):
        (tmp_path / name).mkdir()
    train(whole, volumes, tmp_path / "whole", lambda progress: None)
    with pytest.raises(Cancelled):
        train(cut, volumes, tmp_path / "cut", lambda progress: None, cancelled=lambda: cut.iteration == 1)
    resumed = load_checkpoint(tmp_path / "cut")
    train(resumed, volumes, tmp_path / "cut", lambda progress: None)
    assert same(whole, resumed)


def test_gradients_are_the_same_on_any_number_of_threads(large_volumes: Path) -> None:
    volumes, start = load_slices(large_volumes), load_experts("flf-tc", "Training")
    use = Use.of(volumes, volumes, replace(SETTINGS, scans=2, step_levels=2))
    assert use is not None
    parameters = {name: values.float() for name, values in start.parameters.items()}
    before = torch.get_num_threads()
    try:
        found = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(use.gradients(start.configuration, parameters, 3))
    finally:
        torch.set_num_threads(before)
    assert found[0][0] == found[1][0]
    for name, gradient in found[0][1].items():
        assert torch.equal(gradient, found[1][1][name]), name
        assert gradient.abs().sum() > 0, name


def test_a_step_along_the_gradient_lowers_the_error(large_volumes: Path) -> None:
    volumes, start = load_slices(large_volumes), load_experts("flf-tc", "Training")
    settings = replace(SETTINGS, step_levels=0)
    use = Use.of(volumes, volumes, settings)
    assert use is not None
    parameters = {name: values.float() for name, values in start.parameters.items()}
    loss, gradients = use.gradients(start.configuration, parameters, 1)
    name = "time.2.bias"
    along = gradients[name] / gradients[name].norm()
    moved = parameters | {name: parameters[name] - 0.05 * along}
    scan = ScanSource(volumes, settings.seed).draw(1, 0)
    tables = Tables(start.configuration, {key: values.requires_grad_() for key, values in moved.items()}, LEVELS)
    gradients_of = [LevelGradient(level) for level in tables.levels]
    after = error(reconstruct(scan, by_experts(tables.levels, gradients_of)), scan)
    assert float(after.detach()) < loss


def test_shearlets_are_refused() -> None:
    with pytest.raises(InputError, match="small filters only"):
        SETTINGS.check(VARIANTS["sh-2"])
