"""The training of a network at all noise levels: ``train-network``, and ``train --rival score``, as it is a score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from napari_pogmdm.cli.output_paths import make_folder
from napari_pogmdm.cli.training_run import run_network_training
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.networks.configuration import NetworkConfiguration
from napari_pogmdm.prior.networks.prior import NetworkPrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.setting_text import with_values
from napari_pogmdm.training.checkpoint import FILE_NAME
from napari_pogmdm.training.networks.checkpoint import NetworkState, load_network_state
from napari_pogmdm.training.networks.settings import NetworkTrainingSettings
from napari_pogmdm.training.volumes.slices import load_slices


def train_denoiser(
    data: Path,
    out: Path,
    name: str,
    settings: NetworkTrainingSettings,
    values: Sequence[str] = (),
    *,
    resume: bool,
    start: str = "",
    threads: int,
    every: int,
) -> Path:
    """Train to the end, and export what was learned.

    Parameters
    ----------
    data
        Folder of volumes.
    out
        Folder for checkpoint, weights and card.
    name
        Of the model, and of its file.
    settings
        Of a training that begins; one that is resumed has its own.
    values
        What differs from them from now on, each as ``name=value``.
    resume
        Whether to go on from the checkpoint in ``out``.
    start
        Weights of a network to begin with; empty for random ones.
    threads
        Processor threads.
    every
        Iterations between checkpoints with a point on the curve.

    Returns
    -------
    The weight file.
    """
    if resume:
        state = load_network_state(out)
        state.settings = with_values(state.settings, values)
    else:
        if (out / FILE_NAME).exists():
            raise InputError(
                f"out: {out} already holds a training; add --resume to continue, or choose another folder."
            )
        state = _begun(with_values(settings, values), start)
    volumes = load_slices(data)
    make_folder(out, "out")
    return run_network_training(state, volumes, data.name, out, name, threads=threads, every=every)


def _begun(settings: NetworkTrainingSettings, start: str) -> NetworkState:
    """State before the first iteration, with random numbers or those of a trained network."""
    if not start:
        return NetworkState.begin(NetworkConfiguration(), settings)
    trained = load_prior(start)
    if not isinstance(trained, NetworkPrior):
        raise InputError(f"start: {trained.name} is no network; give a .safetensors file of train-network.")
    return NetworkState.begin(trained.configuration, settings, trained)
