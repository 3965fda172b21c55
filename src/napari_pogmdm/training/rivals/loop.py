"""The training of a rival: draw a scan, step, average."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.rivals.apply import apply_network
from napari_pogmdm.training.loop import Rhythm, Training, TrainingProgress, follow, repeat
from napari_pogmdm.training.rivals.examples import Example, ExampleSource, simulate_example
from napari_pogmdm.training.rivals.losses import image_loss
from napari_pogmdm.training.rivals.settings import RivalSettings
from napari_pogmdm.training.rivals.state import RivalPoint, RivalState, save_state
from napari_pogmdm.training.validation import pick_validation, psnr
from napari_pogmdm.training.volumes.slices import VolumeSlices

_VALIDATION_SEED = 10**6  # far from the numbers of a training's seed, so that no scan of it is met again


def advance(state: RivalState, source: ExampleSource) -> float:
    """Do one iteration in place and return its loss; a step whose gradient is not finite is left out."""
    state.iteration += 1
    example = source.draw(state.iteration)
    state.network.zero_grad(set_to_none=True)
    with torch.autocast("cpu", torch.bfloat16, enabled=state.settings.half):
        image = apply_network(state.network, example.kspace, example.mask)
        loss = image_loss(image, example.target, state.settings.loss)
    loss.backward()  # type: ignore[no-untyped-call]
    norm = nn.utils.clip_grad_norm_(state.network.parameters(), state.settings.clip)
    if bool(norm.isfinite()):
        state.adam_step()
    follow(state.averaged, state.network.named_parameters(), state.iteration, state.settings.average)
    return float(loss.detach())


def train_rival(
    state: RivalState,
    volumes: Sequence[VolumeSlices],
    folder: Path,
    report: Callable[[TrainingProgress[RivalPoint]], None],
    cancelled: Callable[[], bool] = lambda: False,
    every: int = 200,
) -> nn.Module:
    """Train until the settings' last iteration, saving checkpoints, and return the network of averaged weights.

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
    every
        Iterations between checkpoints, each with a point on the curve.

    Raises
    ------
    Cancelled
        If asked to stop; the checkpoint is written first.
    """
    settings = state.settings
    source = ExampleSource(volumes, settings)
    scans = validation_examples(volumes, settings)

    def look(loss: float) -> RivalPoint:
        return RivalPoint(state.iteration, state.seconds, loss, *quality(averaged_network(state), scans))

    steps = Training(lambda: advance(state, source), look, lambda: save_state(state, folder))
    repeat(state, settings.iterations, steps, report, cancelled, Rhythm(every, every))
    return averaged_network(state)


def averaged_network(state: RivalState) -> nn.Module:
    """Make a network of the averaged weights."""
    network = copy.deepcopy(state.network)
    network.load_state_dict(state.averaged, strict=False)
    return network.requires_grad_(False).eval()


def validation_examples(volumes: Sequence[VolumeSlices], settings: RivalSettings) -> tuple[Example, ...]:
    """Simulate scans of whole validation slices, the same at every call."""
    images = pick_validation(volumes)
    seeds = (np.random.default_rng([settings.seed, _VALIDATION_SEED + number]) for number in range(len(images)))
    return tuple(simulate_example(image, settings, rng) for image, rng in zip(images, seeds, strict=True))


def quality(network: nn.Module, scans: Sequence[Example]) -> tuple[float, float]:
    """Mean PSNR in dB of a network's images, and of zero-filled ones."""
    found, plain = [], []
    with torch.no_grad():
        for scan in scans:
            target = scan.target.numpy()
            found.append(psnr(target, apply_network(network, scan.kspace, scan.mask).numpy()))
            plain.append(psnr(target, root_sum_of_squares(to_image(scan.kspace)).numpy()))
    return float(np.mean(found)), float(np.mean(plain))
