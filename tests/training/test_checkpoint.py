from __future__ import annotations

from pathlib import Path

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.training.checkpoint import FILE_NAME, TrainingState, load_checkpoint, save_checkpoint
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


def same(first: TrainingState, second: TrainingState) -> bool:
    return all(
        torch.equal(first.parameters[name], second.parameters[name])
        and torch.equal(first.averaged[name], second.averaged[name])
        and torch.equal(first.moments[name].second, second.moments[name].second)
        for name in first.parameters
    )


def test_a_checkpoint_half_written_leaves_the_old_one(volumes_folder: Path, tmp_path: Path) -> None:
    state = run(volumes_folder, tmp_path / "out", SMALL, QUICK)
    (tmp_path / "out" / (FILE_NAME + ".partial")).write_bytes(b"half")
    assert same(state, load_checkpoint(tmp_path / "out"))


@pytest.mark.parametrize("content", [b"", b"rubbish" * 10, b"\x80\x04K\x01."])
def test_damaged_checkpoints_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(InputError, match="not a readable checkpoint"):
        load_checkpoint(tmp_path)


def test_missing_or_foreign_checkpoints_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="without --resume"):
        load_checkpoint(tmp_path)
    state = TrainingState.begin(SMALL, QUICK)
    state.averaged.pop("filters")
    save_checkpoint(state, tmp_path)
    with pytest.raises(InputError, match="not a readable checkpoint"):
        load_checkpoint(tmp_path)
