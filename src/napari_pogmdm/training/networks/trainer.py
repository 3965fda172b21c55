"""The training loop of a network prior: draw, step, average, and now and then look and save."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.prior.networks.prior import NetworkPrior
from napari_pogmdm.prior.networks.unet import DenoisingUNet
from napari_pogmdm.training.checkpoint import ValidationPoint
from napari_pogmdm.training.networks.batches import NetworkBatches
from napari_pogmdm.training.networks.checkpoint import NetworkState, save_network_state
from napari_pogmdm.training.slices import VolumeSlices
from napari_pogmdm.training.trainer import Rhythm, TrainingProgress
from napari_pogmdm.training.validation import denoising_psnr, pick_validation

_LEAST_SIGMA = 4e-3  # that errors are divided by: noise below that of the images themselves teaches nothing
_LARGEST_GRADIENT = 1.0  # its norm is cut to this, which spares the first steps from rare large ones
_LOSS_DECAY = 0.005  # of the running mean that is shown: over about 200 iterations
_WARM_UP = 10  # has the moving average span a ninth of the first iterations
_USUAL_RHYTHM = Rhythm(500, 500)


def denoising_loss(network: DenoisingUNet, noisy: Tensor, clean: Tensor, sigma: Tensor, half: bool) -> Tensor:
    """Mean squared error of the estimate over sigma, so that a decibel counts about the same at every level.

    Parameters
    ----------
    network
        To train.
    noisy, clean
        Patches (patches, side, side).
    sigma
        Noise levels (patches,).
    half
        Compute convolutions in bfloat16.
    """
    with torch.autocast(noisy.device.type, dtype=torch.bfloat16, enabled=half):
        estimate = network(noisy, sigma)
    errors = (estimate.float() - clean).square().mean((1, 2))
    return (errors / sigma.clamp_min(_LEAST_SIGMA)).mean()


def advance(state: NetworkState, source: NetworkBatches) -> float:
    """Do one iteration in place and return its loss."""
    state.iteration += 1
    settings = state.settings
    for group in state.optimiser.param_groups:
        group["lr"] = settings.rate_at(state.iteration)
    loss = denoising_loss(state.network, *source.draw(state.iteration), settings.half_precision)
    state.optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(state.network.parameters(), _LARGEST_GRADIENT)
    state.optimiser.step()
    decay = min(settings.average, (1 + state.iteration) / (_WARM_UP + state.iteration))
    with torch.no_grad():
        for name, values in state.network.named_parameters():
            state.averaged[name].lerp_(values, 1 - decay)
    return float(loss.detach())


def train_network(
    state: NetworkState,
    volumes: Sequence[VolumeSlices],
    folder: Path,
    report: Callable[[TrainingProgress], None],
    cancelled: Callable[[], bool] = lambda: False,
    rhythm: Rhythm = _USUAL_RHYTHM,
) -> NetworkPrior:
    """Train until the settings' last iteration, saving checkpoints, and return the averaged prior.

    Parameters
    ----------
    state
        Fresh or loaded; changed in place.
    volumes
        Split slices to train and validate on.
    folder
        Where checkpoints go.
    report
        Called after every iteration.
    cancelled
        Asked before every iteration.
    rhythm
        When to validate and to save.

    Raises
    ------
    Cancelled
        If asked to stop; the checkpoint is written first.
    """
    source, images = NetworkBatches(volumes, state.settings), pick_validation(volumes, 1)
    running = state.history[-1].loss if state.history else float("nan")
    before, started = state.seconds, time.monotonic()
    while state.iteration < state.settings.iterations:
        if cancelled():
            save_network_state(state, folder)
            raise Cancelled(f"Training stopped at iteration {state.iteration}.")
        loss = advance(state, source)
        running = loss if running != running else running + _LOSS_DECAY * (loss - running)
        state.seconds = before + time.monotonic() - started
        validation = None
        last = state.iteration == state.settings.iterations
        if last or state.iteration % rhythm.validate == 0:
            quality = denoising_psnr(averaged_network(state), images)
            validation = ValidationPoint(state.iteration, state.seconds, running, quality)
            state.history.append(validation)
        if last or state.iteration % rhythm.save == 0:
            save_network_state(state, folder)
        report(TrainingProgress(state.iteration, state.settings.iterations, running, validation))
    return averaged_network(state)


def averaged_network(state: NetworkState, name: str = "training") -> NetworkPrior:
    """Prior with the averaged parameters."""
    return NetworkPrior(state.configuration, state.averaged, name)
