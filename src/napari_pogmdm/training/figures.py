"""Figures of a training (matplotlib): its validation curve and its filters."""

from __future__ import annotations

from pathlib import Path

from napari_pogmdm.files import whole_file
from napari_pogmdm.prior.figures import draw_curves, draw_model
from napari_pogmdm.training.checkpoint import TrainingState
from napari_pogmdm.training.trainer import averaged_prior
from napari_pogmdm.training.validation import LEVELS

RESOLUTION = 110  # dots an inch: the widest model fills 1600 pixels, and letters of 7 points stay readable


def save_figures(state: TrainingState, folder: Path, name: str) -> None:
    """Write ``curve.png`` and ``model.png`` for the averaged parameters."""
    iterations = [point.iteration for point in state.history]
    if iterations:
        qualities = [point.psnr for point in state.history]
        with whole_file(folder / "curve.png") as stream:
            draw_curves(iterations, qualities, LEVELS).savefig(stream, format="png", dpi=RESOLUTION)
    with whole_file(folder / "model.png") as stream:
        draw_model(averaged_prior(state, name)).savefig(stream, format="png", dpi=RESOLUTION)
