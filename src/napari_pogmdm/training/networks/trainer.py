"""The training of a network prior: draw, step, average."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from napari_pogmdm.prior.networks.prior import NetworkPrior
from napari_pogmdm.prior.networks.unet import DenoisingUNet
from napari_pogmdm.training.checkpoint import ValidationPoint
from napari_pogmdm.training.loop import Rhythm, Training, TrainingProgress, follow, repeat
from napari_pogmdm.training.networks.batches import NetworkBatches
from napari_pogmdm.training.networks.checkpoint import NetworkState, save_network_state
from napari_pogmdm.training.unrolled.scans import ScanSource, SimulatedScan
from napari_pogmdm.training.unrolled.steps import LEVELS, error, reconstruct
from napari_pogmdm.training.validation import denoising_psnr, pick_validation
from napari_pogmdm.training.volumes.preparation import prepared
from napari_pogmdm.training.volumes.slices import VolumeSlices

_LEAST_SIGMA = 4e-3  # that errors are divided by: noise below that of the images themselves teaches nothing
_LARGEST_GRADIENT = 1.0  # its norm is cut to this, which spares the first steps from rare large ones
_DECIBEL = 10 / math.log(10)  # of a natural logarithm
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


def reconstruction_loss(network: DenoisingUNet, scan: SimulatedScan, half: bool) -> Tensor:
    """Error, in decibels, of a scan that is reconstructed with the network; differentiable through all steps.

    Parameters
    ----------
    network
        To train.
    scan
        To reconstruct, with its own coils.
    half
        Compute convolutions in bfloat16.
    """

    def cleaned(planes: Tensor, sigma: float) -> Tensor:
        with torch.autocast(planes.device.type, dtype=torch.bfloat16, enabled=half):
            return network.denoise(planes, sigma).float()

    return error(reconstruct(scan, [partial(cleaned, sigma=sigma) for sigma in LEVELS]), scan)


def advance(state: NetworkState, source: NetworkBatches, scans: ScanSource | None = None) -> float:
    """Do one iteration in place and return its loss: that of denoising, or with ``scans`` the mean error of those."""
    state.iteration += 1
    settings = state.settings
    for group in state.optimiser.param_groups:
        group["lr"] = settings.rate_at(state.iteration)
    loss = denoising_loss(state.network, *source.draw(state.iteration), settings.half_precision)
    state.optimiser.zero_grad()
    shown = float(loss.detach())
    if scans is not None:
        loss, shown = _DECIBEL * loss.log(), 0.0  # so that it counts in the same unit
        for number in range(settings.scans):  # one after the other: what a scan keeps for its gradient is large
            scan = scans.draw(state.iteration, number)
            own = reconstruction_loss(state.network, scan, settings.half_precision) / settings.scans
            own.backward()  # type: ignore[no-untyped-call]
            shown += float(own.detach())
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(state.network.parameters(), _LARGEST_GRADIENT)
    state.optimiser.step()
    follow(state.averaged, state.network.named_parameters(), state.iteration, settings.average)
    return shown


def train_network(
    state: NetworkState,
    volumes: Sequence[VolumeSlices],
    folder: Path,
    report: Callable[[TrainingProgress[ValidationPoint]], None],
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
    settings = state.settings
    cleaned = prepared(volumes, settings.cleaning, 0.0, settings.seed)
    ready = prepared(cleaned, 0.0, settings.shrinking, settings.seed)
    scans = ScanSource(cleaned, settings.seed) if settings.scans else None
    source, images = NetworkBatches(ready, settings), pick_validation(volumes, 1)

    def look(loss: float) -> ValidationPoint:
        quality = denoising_psnr(averaged_network(state), images)
        return ValidationPoint(state.iteration, state.seconds, loss, quality)

    steps = Training(lambda: advance(state, source, scans), look, lambda: save_network_state(state, folder))
    repeat(state, settings.iterations, steps, report, cancelled, rhythm)
    return averaged_network(state)


def averaged_network(state: NetworkState, name: str = "training") -> NetworkPrior:
    """Prior with the averaged parameters."""
    return NetworkPrior(state.configuration, state.averaged, name)
