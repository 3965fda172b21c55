"""A checkpoint's file gives back what was written, and is refused whole if anything in it cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.training.checkpoint_file import open_checkpoint, write_checkpoint

FACTS = {"iteration": 3, "seconds": 1.5}


def write(path: Path, values: torch.Tensor | None = None, **facts: Any) -> Path:
    weights = torch.arange(4.0) if values is None else values
    write_checkpoint(path, {"averaged": {"layer/0": weights}, "first": {"layer/0": -weights}}, FACTS | facts, "state")
    return path


def test_gives_back_what_was_written(tmp_path: Path) -> None:
    with open_checkpoint(write(tmp_path / "c.safetensors"), "state") as (facts, parts):
        assert facts == FACTS
        assert set(parts) == {"averaged", "first"}
        assert torch.equal(parts["first"]["layer/0"], -torch.arange(4.0))


@pytest.mark.parametrize("facts", [{"iteration": -1}, {"seconds": float("nan")}, {"iteration": None}])
def test_counts_that_cannot_be_are_refused(tmp_path: Path, facts: dict[str, Any]) -> None:
    path = write(tmp_path / "c.safetensors", **facts)
    with pytest.raises(InputError, match="not a readable checkpoint"), open_checkpoint(path, "state"):
        pass


def test_nan_another_kind_and_trouble_inside_are_refused(tmp_path: Path) -> None:
    bad = write(tmp_path / "nan.safetensors", torch.tensor([float("nan")]))
    with pytest.raises(InputError, match="not a readable checkpoint"), open_checkpoint(bad, "state"):
        pass
    good = write(tmp_path / "c.safetensors")
    with pytest.raises(InputError, match="not a readable checkpoint"), open_checkpoint(good, "network"):
        pass
    with pytest.raises(InputError, match="not a readable checkpoint"), open_checkpoint(good, "state") as (_, parts):
        parts["second"]


def test_a_folder_without_one_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="start without --resume"), open_checkpoint(tmp_path / "c.st", "state"):
        pass
