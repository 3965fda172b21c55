"""The training of a prior: draw, step, project, average."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from napari_pogmdm.prior.banks import gains_of, local_gains, resized_spectra
from napari_pogmdm.prior.conditioning import variances
from napari_pogmdm.prior.experts import filter_weights
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.shearlets import shearlet_spectra
from napari_pogmdm.training.adabelief import step
from napari_pogmdm.training.batches import BatchSource
from napari_pogmdm.training.checkpoint import TrainingState, ValidationPoint, save_checkpoint
from napari_pogmdm.training.loop import USUAL_RHYTHM, Rhythm, Training, TrainingProgress, follow, repeat
from napari_pogmdm.training.losses import Batch, local_loss, spectral_loss
from napari_pogmdm.training.unrolled.use import Use
from napari_pogmdm.training.validation import denoising_psnr, pick_validation
from napari_pogmdm.training.volumes.preparation import prepared
from napari_pogmdm.training.volumes.slices import VolumeSlices

SPECTRAL_MARGIN = 12
"""Pixels at the border of a circular patch that stay out of the loss: about half a shearlet's effective support."""


def training_loss(state: TrainingState, parameters: dict[str, Tensor], batch: Batch) -> Tensor:
    """Denoising score-matching loss of a batch, differentiable in the parameters."""
    configuration = state.configuration
    weights = filter_weights(configuration, parameters["weights"])
    sigma = torch.from_numpy(batch.sigma)
    if configuration.family == "local":
        filters = parameters["filters"]
        spread = variances(configuration, parameters, local_gains(filters, configuration.gain), sigma)
        return local_loss(filters, weights, spread, batch, configuration.bound)
    full = shearlet_spectra(parameters["low_pass"], parameters["fan"], configuration.scales)
    spread = variances(configuration, parameters, gains_of(full.abs(), configuration.gain), sigma)
    height, width = batch.noisy.shape[-2:]
    half = resized_spectra(full, (height, width))[..., : width // 2 + 1]
    return spectral_loss(half, weights, spread, batch, configuration.bound, SPECTRAL_MARGIN)


def advance(state: TrainingState, source: BatchSource, use: Use | None = None) -> float:
    """Do one iteration in place and return its loss: that of one step, or with ``use`` the errors after all steps."""
    state.iteration += 1
    leaves = {name: values.detach().requires_grad_() for name, values in state.parameters.items()}
    loss = training_loss(state, leaves, source.draw(state.iteration))
    gradients = dict(zip(leaves, torch.autograd.grad(loss, list(leaves.values())), strict=True))
    shown = float(loss.detach())
    if use is not None:
        shown, more = use.gradients(state.configuration, state.parameters, state.iteration)
        gradients = {name: more[name] + state.settings.one_step * one for name, one in gradients.items()}
    with torch.no_grad():
        for name, values in state.parameters.items():
            rate = state.settings.rate(name, state.iteration)
            step(name, values, gradients[name], state.moments[name], rate, state.iteration)
    follow(state.averaged, state.parameters.items(), state.iteration, state.settings.average)
    return shown


def train(
    state: TrainingState,
    volumes: tuple[VolumeSlices, ...],
    folder: Path,
    report: Callable[[TrainingProgress[ValidationPoint]], None],
    cancelled: Callable[[], bool] = lambda: False,
    rhythm: Rhythm = USUAL_RHYTHM,
) -> Prior:
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
    settings.check(state.configuration)
    cleaned = prepared(volumes, settings.cleaning, 0.0, settings.seed)
    ready = prepared(cleaned, 0.0, settings.shrinking, settings.seed)
    source = BatchSource(ready, settings, settings.patch_for(state.configuration))
    use = Use.of(cleaned, ready, settings)
    images = pick_validation(volumes)

    def look(loss: float) -> ValidationPoint:
        quality = denoising_psnr(averaged_prior(state), images)
        return ValidationPoint(state.iteration, state.seconds, loss, quality)

    steps = Training(lambda: advance(state, source, use), look, lambda: save_checkpoint(state, folder))
    repeat(state, settings.iterations, steps, report, cancelled, rhythm)
    return averaged_prior(state)


def averaged_prior(state: TrainingState, name: str = "training") -> Prior:
    """Prior with the averaged parameters; averages of constrained parameters are used as they are."""
    return Prior(state.configuration, state.averaged, name)
