"""The training loop: draw, step, project, average, and now and then look and save."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.prior.banks import gains_of, local_gains, resized_spectra
from napari_pogmdm.prior.conditioning import variances
from napari_pogmdm.prior.experts import filter_weights
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.shearlets import shearlet_spectra
from napari_pogmdm.training.adabelief import step
from napari_pogmdm.training.batches import BatchSource
from napari_pogmdm.training.checkpoint import TrainingState, ValidationPoint, save_checkpoint
from napari_pogmdm.training.losses import Batch, local_loss, spectral_loss
from napari_pogmdm.training.slices import VolumeSlices
from napari_pogmdm.training.validation import denoising_psnr, pick_validation

SPECTRAL_MARGIN = 12
"""Pixels at the border of a circular patch that stay out of the loss: about half a shearlet's effective support."""

_LOSS_DECAY = 0.005  # of the running mean that is shown: over about 200 iterations, as single batches differ widely
_WARM_UP = 10  # has the moving average span a ninth of the first iterations, so that start values do not linger


@dataclass(frozen=True)
class TrainingProgress:
    """What a training reports after every iteration.

    Attributes
    ----------
    iteration, iterations
        Done, and in all.
    loss
        Running mean of the training loss.
    validation
        Set when the validation slices were just denoised.
    """

    iteration: int
    iterations: int
    loss: float
    validation: ValidationPoint | None = None


@dataclass(frozen=True)
class Rhythm:
    """After how many iterations to validate and to save.

    Attributes
    ----------
    validate
        Iterations between validations.
    save
        Iterations between checkpoints; what an interruption costs at most.
    """

    validate: int = 1000
    save: int = 1000


USUAL_RHYTHM = Rhythm()


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


def advance(state: TrainingState, source: BatchSource) -> float:
    """Do one iteration in place and return its loss."""
    state.iteration += 1
    leaves = {name: values.detach().requires_grad_() for name, values in state.parameters.items()}
    loss = training_loss(state, leaves, source.draw(state.iteration))
    gradients = torch.autograd.grad(loss, list(leaves.values()))
    with torch.no_grad():
        for (name, values), gradient in zip(state.parameters.items(), gradients, strict=True):
            step(
                name, values, gradient, state.moments[name], state.settings.rate(name, state.iteration), state.iteration
            )
            # a growing average at first, so that the start values do not linger
            decay = min(state.settings.average, (1 + state.iteration) / (_WARM_UP + state.iteration))
            state.averaged[name].lerp_(values, 1 - decay)
    return float(loss.detach())


def train(
    state: TrainingState,
    volumes: tuple[VolumeSlices, ...],
    folder: Path,
    report: Callable[[TrainingProgress], None],
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
    source = BatchSource(volumes, settings, settings.patch_for(state.configuration))
    images = pick_validation(volumes)
    running = state.history[-1].loss if state.history else float("nan")
    before, started = state.seconds, time.monotonic()
    while state.iteration < settings.iterations:
        if cancelled():
            save_checkpoint(state, folder)
            raise Cancelled(f"Training stopped at iteration {state.iteration}.")
        loss = advance(state, source)
        running = loss if running != running else running + _LOSS_DECAY * (loss - running)
        state.seconds = before + time.monotonic() - started
        validation = None
        last = state.iteration == settings.iterations
        if last or state.iteration % rhythm.validate == 0:
            quality = denoising_psnr(averaged_prior(state), images)
            validation = ValidationPoint(state.iteration, state.seconds, running, quality)
            state.history.append(validation)
        if last or state.iteration % rhythm.save == 0:
            save_checkpoint(state, folder)
        report(TrainingProgress(state.iteration, settings.iterations, running, validation))
    return averaged_prior(state)


def averaged_prior(state: TrainingState, name: str = "training") -> Prior:
    """Prior with the averaged parameters; averages of constrained parameters are used as they are."""
    return Prior(state.configuration, state.averaged, name)
