"""The training of a rival that is shown on the terminal and leaves weights and their card in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from rich.console import Console

from napari_pogmdm.cli.network_training import train_denoiser
from napari_pogmdm.cli.output_paths import make_folder
from napari_pogmdm.cli.progress import progress_bar
from napari_pogmdm.cli.training_run import PATIENCE
from napari_pogmdm.errors import InputError
from napari_pogmdm.rivals.names import Learner, Rival
from napari_pogmdm.rivals.shapes import SHAPES, parameter_count
from napari_pogmdm.rivals.weights import load_rival
from napari_pogmdm.setting_text import with_values
from napari_pogmdm.settings import describe
from napari_pogmdm.training.loop import TrainingProgress
from napari_pogmdm.training.networks.settings import NetworkTrainingSettings
from napari_pogmdm.training.rivals.export import export_rival
from napari_pogmdm.training.rivals.loop import train_rival
from napari_pogmdm.training.rivals.settings import RivalSettings
from napari_pogmdm.training.rivals.state import FILE_NAME, RivalPoint, RivalState, load_state
from napari_pogmdm.training.volumes.slices import load_slices


def run_rival_training(
    learner: Learner,
    data: Path,
    out: Path,
    values: Sequence[str],
    *,
    resume: bool,
    start: str,
    threads: int,
    every: int,
    anatomy: str,
    contrast: str,
) -> Path:
    """Train to the end, and export what was learned.

    Parameters
    ----------
    learner
        Which network.
    data
        Folder of volumes.
    out
        Folder for checkpoint, weights and card.
    values
        Sizes of the network and settings of its training, each as ``name=value``; of a training that is resumed,
        settings that differ from now on.
    resume
        Whether to go on from the checkpoint in ``out``.
    start
        Trained weights to begin with; empty for random ones.
    threads
        Processor threads.
    every
        Iterations between checkpoints with a point on the curve.
    anatomy, contrast
        What the volumes show, for the card.

    Returns
    -------
    The weight file.
    """
    if learner is Learner.SCORE:
        if start or anatomy or contrast:
            raise InputError("rival: a score takes neither --start nor --anatomy nor --contrast; leave them out.")
        settings = NetworkTrainingSettings()
        return train_denoiser(data, out, learner.value, settings, values, resume=resume, threads=threads, every=every)
    rival = Rival(learner)
    state = _state(rival, out, values, resume, start)
    volumes = load_slices(data)
    make_folder(out, "out")
    console = Console(stderr=True)
    console.print(f"{parameter_count(state.network)} parameters. {PATIENCE}")
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with progress_bar() as begin:
            update = begin(f"training {rival}")

            def report(progress: TrainingProgress[RivalPoint]) -> None:
                update(progress.iteration, progress.iterations)
                if progress.validation is not None:
                    point = progress.validation
                    quality = f"{point.psnr:.2f} dB, zero-filled {point.zero_filled:.2f} dB"
                    console.print(f"iteration {progress.iteration}: loss {progress.loss:.4f}, {quality}")

            train_rival(state, volumes, out, report, every=every)
    finally:
        torch.set_num_threads(before)
    path = out / f"{rival}.safetensors"
    export_rival(state, volumes, path, anatomy, contrast)
    return path


def _state(rival: Rival, out: Path, values: Sequence[str], resume: bool, start: str) -> RivalState:
    if resume:
        state = load_state(out)
        if state.shape.kind is not rival:
            raise InputError(f"out: {out} holds the training of a {state.shape.kind}, not of a {rival}.")
        state.settings = with_values(state.settings, values)
        return state
    if (out / FILE_NAME).exists():
        raise InputError(f"out: {out} already holds a training; add --resume to continue, or choose another folder.")
    sizes = describe(SHAPES[rival])
    of_network = [text for text in values if text.partition("=")[0].strip() in sizes]
    of_training = [text for text in values if text not in of_network]
    trained = load_rival(rival, start) if start else None
    shape = with_values(SHAPES[rival]() if trained is None else trained.shape, of_network)
    settings = with_values(RivalSettings(), of_training)
    return RivalState.begin(shape, settings, None if trained is None else trained.network)
