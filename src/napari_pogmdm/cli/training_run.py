"""A training that is shown on the terminal and leaves weights, their card and figures in a folder."""

from __future__ import annotations

from pathlib import Path

import torch
from rich.console import Console

from napari_pogmdm.cli.progress import progress_bar
from napari_pogmdm.files import write_file
from napari_pogmdm.training.card import model_card
from napari_pogmdm.training.checkpoint import TrainingState
from napari_pogmdm.training.export import export_prior
from napari_pogmdm.training.figures import save_figures
from napari_pogmdm.training.slices import VolumeSlices
from napari_pogmdm.training.trainer import Rhythm, TrainingProgress, train
from napari_pogmdm.training.validation import LEVELS

PATIENCE = "Interrupt with Ctrl-C at any time; --resume goes on from the last checkpoint."


def run_training(
    state: TrainingState,
    volumes: tuple[VolumeSlices, ...],
    data_name: str,
    out: Path,
    variant: str,
    *,
    threads: int,
    every: int,
) -> Path:
    """Train to the end, and export what was learned.

    Parameters
    ----------
    state
        Where to begin.
    volumes
        What to learn from.
    data_name
        Of the folder of volumes, for the model's card.
    out
        Folder for checkpoint, weights, curve and figures.
    variant
        Name of the prior.
    threads
        Processor threads.
    every
        Iterations between checkpoints with a point on the curve.

    Returns
    -------
    The weight file.
    """
    console = Console(stderr=True)
    counts = [sum(len(getattr(volume, part)) for volume in volumes) for part in ("train", "validation", "test")]
    console.print(
        f"{len(volumes)} volumes: {counts[0]} slices to train, {counts[1]} to validate, {counts[2]} kept out."
    )
    console.print(f"{state.configuration.parameter_count} parameters. {PATIENCE}")
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with progress_bar() as begin:
            update = begin(f"training {variant}")

            def report(progress: TrainingProgress) -> None:
                update(progress.iteration, progress.iterations)
                if progress.validation is not None:
                    levels = zip(LEVELS, progress.validation.psnr, strict=True)
                    quality = ", ".join(f"{value:.2f} dB at {level:g}" for level, value in levels)
                    console.print(f"iteration {progress.iteration}: loss {progress.loss:.4f}, {quality}")
                    save_figures(state, out, variant)

            train(state, volumes, out, report, rhythm=Rhythm(every, every))
    finally:
        torch.set_num_threads(before)
    path = export_prior(state, volumes, out / f"{variant}.safetensors", variant)
    about = f"Volumes of the folder {data_name}, each slice divided by its own maximum."
    write_file(path.with_suffix(".md"), model_card(path, state.history, about))
    return path
