from __future__ import annotations

from pathlib import Path

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.training.checkpoint import FILE_NAME, TrainingState, load_checkpoint, save_checkpoint
from training.quick_training import QUICK, SMALL, run, same


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
