"""A training that is shown on the terminal and leaves weights, their card and figures in a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from rich.console import Console

from napari_pogmdm.cli.progress import progress_bar
from napari_pogmdm.files import write_file
from napari_pogmdm.training.card import model_card
from napari_pogmdm.training.checkpoint import TrainingState, ValidationPoint
from napari_pogmdm.training.export import export_network, export_prior
from napari_pogmdm.training.figures import save_figures
from napari_pogmdm.training.loop import Rhythm, TrainingProgress
from napari_pogmdm.training.networks.checkpoint import NetworkState
from napari_pogmdm.training.networks.trainer import train_network
from napari_pogmdm.training.trainer import train
from napari_pogmdm.training.validation import LEVELS
from napari_pogmdm.training.volumes.slices import VolumeSlices
from napari_pogmdm.training.volumes.sources import terms_of

PATIENCE = "Interrupt with Ctrl-C at any time; --resume continues from the last checkpoint."


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

    def go(report: Callable[[TrainingProgress[ValidationPoint]], None]) -> None:
        train(state, volumes, out, report, rhythm=Rhythm(every, every))

    count = state.configuration.parameter_count
    cleans = state.settings.cleaning > 0
    _watched(go, volumes, variant, count, threads, lambda: save_figures(state, out, variant), cleans=cleans)
    path = export_prior(state, volumes, out / f"{variant}.safetensors", variant)
    return _with_card(path, state.history, data_name, volumes)


def run_network_training(
    state: NetworkState,
    volumes: tuple[VolumeSlices, ...],
    data_name: str,
    out: Path,
    name: str,
    *,
    threads: int,
    every: int,
) -> Path:
    """Train a network to the end, and export what was learned.

    Parameters
    ----------
    state
        Where to begin.
    volumes
        What to learn from.
    data_name
        Of the folder of volumes, for the model's card.
    out
        Folder for checkpoint, weights and card.
    name
        Of the model.
    threads
        Processor threads.
    every
        Iterations between checkpoints with a point on the curve.

    Returns
    -------
    The weight file.
    """

    def go(report: Callable[[TrainingProgress[ValidationPoint]], None]) -> None:
        train_network(state, volumes, out, report, rhythm=Rhythm(every, every))

    count = sum(values.numel() for values in state.averaged.values())
    _watched(go, volumes, name, count, threads, lambda: None, cleans=state.settings.cleaning > 0)
    path = export_network(state, volumes, out / f"{name}.safetensors", name)
    return _with_card(path, state.history, data_name, volumes)


def _watched(
    go: Callable[[Callable[[TrainingProgress[ValidationPoint]], None]], None],
    volumes: Sequence[VolumeSlices],
    name: str,
    count: int,
    threads: int,
    look: Callable[[], None],
    *,
    cleans: bool,
) -> None:
    """Let a training go, and show how far it is and how good.

    Parameters
    ----------
    go
        Trains, and tells what it is given after every iteration.
    volumes
        What it learns from.
    name
        Of the model.
    count
        Its parameters.
    threads
        Processor threads.
    look
        Called after every point of the validation curve.
    cleans
        Whether the slices' own noise is taken out before the first iteration.
    """
    console = Console(stderr=True)
    counts = [sum(len(getattr(volume, part)) for volume in volumes) for part in ("train", "validation", "test")]
    console.print(
        f"{len(volumes)} volumes: {counts[0]} slices to train, {counts[1]} to validate, {counts[2]} kept out."
    )
    console.print(f"{count} parameters. {PATIENCE}")
    if cleans:
        console.print("First the slices' own noise is taken out, which takes a quarter of a second a slice.")
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with progress_bar() as begin:
            update = begin(f"training {name}")

            def report(progress: TrainingProgress[ValidationPoint]) -> None:
                update(progress.iteration, progress.iterations)
                if progress.validation is not None:
                    levels = zip(LEVELS, progress.validation.psnr, strict=True)
                    quality = ", ".join(f"{value:.2f} dB at {level:g}" for level, value in levels)
                    console.print(f"iteration {progress.iteration}: loss {progress.loss:.4f}, {quality}")
                    look()

            go(report)
    finally:
        torch.set_num_threads(before)


def _with_card(path: Path, history: Sequence[ValidationPoint], data_name: str, volumes: Sequence[VolumeSlices]) -> Path:
    """Write the card beside the weights, with the sources and terms of volumes that are known."""
    about = f"Volumes of the folder {data_name}, each slice divided by its own maximum."
    told = terms_of([volume.name for volume in volumes])
    about += f"\n\n{told}" if told else ""
    write_file(path.with_suffix(".md"), model_card(path, history, about))
    return path
