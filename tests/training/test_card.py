from __future__ import annotations

import hashlib
from pathlib import Path

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.prior.weights import load_experts, parameter_hash
from napari_pogmdm.training.card import CURVE_POINTS, model_card
from napari_pogmdm.training.checkpoint import TrainingState, ValidationPoint, load_checkpoint, save_checkpoint
from napari_pogmdm.training.export import export_prior
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.volumes.slices import load_slices


def test_a_card_says_what_the_model_is_and_how_it_came_about(volumes_folder: Path, tmp_path: Path) -> None:
    history = [ValidationPoint(100 * n, 6.0 * n, 0.5, (30.0 + n, 26.0, 22.0, 18.0)) for n in range(1, 41)]
    state = TrainingState.begin(PriorConfiguration(filter_count=3), TrainingSettings(seed=5, batch=7))
    state.iteration, state.seconds, state.history = 4000, 240.0, history
    path = export_prior(state, load_slices(volumes_folder), tmp_path / "mine.safetensors", "mine")
    card = model_card(path, history, "Two volumes of discs.", "| a | table |")
    assert card.startswith("# mine\n")
    for words in (
        "3 fully learned 5 x 5 filters",
        hashlib.sha256(path.read_bytes()).hexdigest(),
        "Two volumes of discs.",
        "| first.npy | 7 | 1 | 2 |",
        "4000 iterations of 7 patches",
        "4 minutes",
        "seed 5",
        "| 4000 | 70.00 | 26.00 | 22.00 | 18.00 |",
        "| a | table |",
    ):
        assert words in card
    assert CURVE_POINTS <= card.count(" 26.00 ") <= CURVE_POINTS + 1
    assert "held-out" not in model_card(path, [], "")


def test_a_card_tells_of_whole_reconstructions(volumes_folder: Path, tmp_path: Path) -> None:
    settings = TrainingSettings(scans=3, step_levels=2)
    state = TrainingState.begin(PriorConfiguration(filter_count=3), settings)
    path = export_prior(state, load_slices(volumes_folder), tmp_path / "mine.safetensors", "mine")
    assert "3 simulated scans reconstructed in twenty steps and patches at 2 noise levels" in model_card(path, [], "")


def test_a_card_says_what_the_training_began_with(volumes_folder: Path, tmp_path: Path) -> None:
    start = load_experts("flf-tc", "Training")
    state = TrainingState.begin(start.configuration, TrainingSettings(), start)
    save_checkpoint(state, tmp_path)
    path = tmp_path / "mine.safetensors"
    export_prior(load_checkpoint(tmp_path), load_slices(volumes_folder), path, "mine")
    assert f"- begins with the weights of flf-tc (parameters {parameter_hash(start)[:12]})" in model_card(path, [], "")
