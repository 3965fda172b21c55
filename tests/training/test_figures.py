from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from napari_pogmdm.prior.configuration import PriorConfiguration
from napari_pogmdm.training.checkpoint import TrainingState, ValidationPoint
from napari_pogmdm.training.figures import save_figures
from napari_pogmdm.training.settings import TrainingSettings


@pytest.mark.slow
def test_the_model_is_drawn_at_once_and_the_curve_when_there_is_one(tmp_path: Path) -> None:
    state = TrainingState.begin(PriorConfiguration(filter_count=3), TrainingSettings())
    save_figures(state, tmp_path, "mine")
    assert [file.name for file in tmp_path.iterdir()] == ["model.png"]
    state.history = [ValidationPoint(n, 1.0, 0.5, (30.0, 26.0, 22.0, 18.0)) for n in (10, 20)]
    save_figures(state, tmp_path, "mine")
    for name in ("curve.png", "model.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    with Image.open(tmp_path / "curve.png") as curve:
        assert curve.size == (770, 440)
