"""Exporting a rival's training: weights with a summary of how they were made, and their card."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from napari_pogmdm import __version__
from napari_pogmdm.files import write_file
from napari_pogmdm.rivals.shapes import parameter_count
from napari_pogmdm.rivals.trained_on import TrainedOn
from napari_pogmdm.rivals.weights import save_rival
from napari_pogmdm.training.rivals.state import RivalState
from napari_pogmdm.training.volumes.slices import VolumeSlices


def trained_on(state: RivalState, anatomy: str, contrast: str) -> TrainedOn:
    """Say what a training shows its network."""
    settings = state.settings
    masks = f"C{settings.acceleration:g}/{100 * settings.centre_fraction:g}"
    return TrainedOn(masks, anatomy, contrast, settings.acceleration, settings.centre_fraction)


def export_rival(
    state: RivalState, volumes: Sequence[VolumeSlices], path: Path, anatomy: str = "", contrast: str = ""
) -> None:
    """Write the averaged weights of a training, and beside them their card.

    Parameters
    ----------
    state
        Of the training.
    volumes
        It was trained on.
    path
        Of the weights; the card ends in ``.md``.
    anatomy, contrast
        What the volumes show, in a word each.
    """
    last = state.history[-1] if state.history else None
    facts: dict[str, Any] = {
        "trained_on": trained_on(state, anatomy, contrast).to_dict(),
        "volumes": {volume.name: [len(volume.train), len(volume.validation), len(volume.test)] for volume in volumes},
        "settings": state.settings.to_dict(),
        "iterations": state.iteration,
        "seconds": round(state.seconds),
        "validation_psnr": None if last is None else round(last.psnr, 2),
        "zero_filled_psnr": None if last is None else round(last.zero_filled, 2),
        "versions": {
            "napari-pogmdm": __version__,
            "torch": str(torch.__version__),
            "python": platform.python_version(),
        },
    }
    save_rival(state.averaged, state.shape, path, facts)
    write_file(path.with_suffix(".md"), rival_card(state, path, facts))


def rival_card(state: RivalState, path: Path, facts: dict[str, Any]) -> str:
    """Write down what a rival is and how it came about, in Markdown.

    Parameters
    ----------
    state
        Of the training.
    path
        Of the weights, already written.
    facts
        Summary of the training, as the weights have it.
    """
    shape, seen = state.shape, TrainedOn.from_dict(facts["trained_on"])
    sizes = ", ".join(f"{name} {value}" for name, value in shape.to_dict().items())
    settings = ", ".join(f"{name} {value}" for name, value in state.settings.to_dict().items())
    volumes = [f"| {name} | {' | '.join(map(str, counts))} |" for name, counts in facts["volumes"].items()]
    curve = [
        f"| {point.iteration} | {point.seconds / 60:.0f} | {point.loss:.4f} | {point.psnr:.2f} |"
        for point in state.history
    ]
    lines = [
        f"# {shape.title}",
        f"A {shape.title} with the published layers and {parameter_count(state.network):,} parameters ({sizes}); the "
        "published one is larger. Research software, not for diagnosis.",
        f"- file: `{path.name}`, sha256 `{hashlib.sha256(path.read_bytes()).hexdigest()}`",
        f"- trained on {seen.describe()}: simulated coils, smooth phases and noise on magnitude images",
        f"- {facts['iterations']} iterations of one scan, {facts['seconds'] / 60:.0f} minutes, busy machine",
        f"- settings: {settings}",
        "## Data",
        "\n".join(["| volume | slices to train | to validate | kept for testing |", "|---|---|---|---|", *volumes]),
        "## Validation curve",
        "Mean PSNR of scans of validation slices, simulated with the same kinds of mask, coils and noise"
        + (f"; zero-filled images have {facts['zero_filled_psnr']} dB:" if state.history else ":"),
        "\n".join(["| iteration | minutes | loss | PSNR / dB |", "|---|---|---|---|", *curve]),
    ]
    return "\n\n".join(lines) + "\n"
