"""Model cards: Markdown that says what a model is, how it was trained and on what."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.networks.prior import NetworkPrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.training.checkpoint import ValidationPoint
from napari_pogmdm.training.validation import LEVELS

CURVE_POINTS = 8  # rows of the validation curve, and the last: enough to see where it flattens


def model_card(
    weights: Path,
    history: Sequence[ValidationPoint],
    data: str,
    results: str = "",
) -> str:
    """Write down what a model is, how it came about and what it is good for, in Markdown.

    Parameters
    ----------
    weights
        Weight file, as exported.
    history
        Validation curve.
    data
        A paragraph about the training data and its terms.
    results
        Markdown table of test results, if there are any.
    """
    prior = load_prior(weights)
    training = prior.information["training"]
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    parts = [
        f"# {prior.name}",
        _what(prior),
        "Research software, not for diagnosis. Images are expected with their brightest tissue at 1.",
        "## Data",
        data,
        _volume_table(training["volumes"]),
        "## Training",
        _training_lines(training),
        "## Validation curve",
        "Mean PSNR in dB of one-step denoising on a few validation slices of every volume:",
        _curve_table(history),
    ]
    if results:
        parts += ["## Results on held-out test slices", results]
    parts += ["## File", f"- file: `{weights.name}`, sha256 `{digest}`"]
    return "\n\n".join(parts) + "\n"


def _what(prior: Prior | NetworkPrior) -> str:
    """Say in a sentence what a model is."""
    if isinstance(prior, NetworkPrior):
        channels = ", ".join(map(str, prior.configuration.channels))
        return (
            f"A denoising U-Net without biases for MR magnitude images with {prior.parameter_count} learned parameters "
            f"({channels} channels at falling resolution), told the noise level. It is a prior by Tweedie's formula, "
            "without filters or potentials that one could look at; its score need not be the gradient of a density."
        )
    configuration = prior.configuration
    kind = f"{configuration.filters} fully learned {configuration.filter_size} x {configuration.filter_size} filters"
    if configuration.family == "shearlet":
        kind = f"{configuration.filters} shearlets of {configuration.scales} scales, sharing {configuration.sharing}"
    return (
        f"A product-of-Gaussian-mixture diffusion model of MR magnitude images with {prior.parameter_count} learned "
        f"parameters: {kind}, mixtures of {configuration.components} components on "
        f"[-{configuration.bound:g}, {configuration.bound:g}], {configuration.conditioning} rule of time conditioning."
    )


def _volume_table(volumes: Mapping[str, Mapping[str, int]]) -> str:
    rows = ["| volume | slices to train | to validate | kept for testing |", "|---|---|---|---|"]
    for name, counts in volumes.items():
        rows.append(f"| {name} | {counts['train']} | {counts['validation']} | {counts['test']} |")
    return "\n".join(rows)


def _training_lines(training: Mapping[str, Any]) -> str:
    settings = training["settings"]
    begun_with = training.get("begun_with")
    lines = [
        *([f"- begins with the weights of {begun_with}"] if begun_with else []),
        f"- {training['iterations']} iterations of {settings['batch']} patches",
        f"- {training['seconds'] / 60:.0f} minutes on one core of a busy processor",
        f"- seed {settings['seed']}; noise levels {settings.get('noise', 'sigma-log-uniform')} up to "
        f"{settings['sigma_max']:g}; weighting {settings.get('weighting', 'balanced')}; "
        f"moving average {settings['average']:g}",
        *_use_lines(settings),
        "- all settings: " + ", ".join(f"{name} {value}" for name, value in sorted(settings.items())),
        "- versions: " + ", ".join(f"{name} {value}" for name, value in sorted(training["versions"].items())),
    ]
    return "\n".join(lines)


def _use_lines(settings: Mapping[str, Any]) -> list[str]:
    """Say what a training through whole reconstructions did in each iteration, if it is one."""
    did = []
    if settings.get("scans"):
        did.append(f"{settings['scans']} simulated scans reconstructed in twenty steps")
    if settings.get("step_levels"):
        did.append(f"patches at {settings['step_levels']} noise levels denoised in eight steps")
    return [f"- in each iteration, {' and '.join(did)}, with their errors carried back through all steps"] * bool(did)


def _curve_table(history: Sequence[ValidationPoint]) -> str:
    step = max(1, len(history) // CURVE_POINTS)
    points = [*history[:-1:step], history[-1]] if history else []
    rows = [
        "| iteration | " + " | ".join(f"sigma {level:g}" for level in LEVELS) + " |",
        "|---" * (len(LEVELS) + 1) + "|",
    ]
    rows += [f"| {point.iteration} | " + " | ".join(f"{value:.2f}" for value in point.psnr) + " |" for point in points]
    return "\n".join(rows)
