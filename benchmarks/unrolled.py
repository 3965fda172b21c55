"""Train a prior for its use: the loss is the error after several steps of splitting on undersampled patches.

    python benchmarks/unrolled.py DIR OUT [--start flf-tc] [--seed 1] [--iterations 400] [--steps 5] [--loss unrolled]

DIR is what ``train`` takes. Patches of training slices are scanned by one coil that is 1 everywhere, with noise and
with gaps, and reconstructed by a few steps of splitting at falling noise levels. The loss is the mean logarithm of the
squared error, so that each patch counts in decibels, and ``--keep`` times the loss of denoising. ``--loss denoising``
trains as ``train`` does, with the same rates and as many patches, for comparison. Writes OUT/flf-tc.safetensors, which
commands take as ``--model``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import conv2d, pad

from napari_pogmdm.prior.banks import local_gains
from napari_pogmdm.prior.conditioning import variances
from napari_pogmdm.prior.experts import filter_weights
from napari_pogmdm.prior.scores.convolution_kernels import look_up
from napari_pogmdm.prior.scores.table import build_table
from napari_pogmdm.prior.scores.table_kernels import table_gradients
from napari_pogmdm.prior.weights import load_experts
from napari_pogmdm.training.adabelief import step
from napari_pogmdm.training.batches import BatchSource
from napari_pogmdm.training.checkpoint import TrainingState, ValidationPoint
from napari_pogmdm.training.export import export_prior
from napari_pogmdm.training.local_kernels import spread
from napari_pogmdm.training.loop import follow
from napari_pogmdm.training.losses import TRAINING_DENSITY
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.trainer import advance, averaged_prior, training_loss
from napari_pogmdm.training.validation import denoising_psnr, pick_validation
from napari_pogmdm.training.volumes.slices import VolumeSlices, load_slices

LARGEST, SMALLEST = 0.07, 0.01  # noise levels of the steps, those of the preset `fast`
PRIOR_WEIGHT = 0.6  # of the presets
DATA_NOISE = (0.005, 0.02)  # per component, drawn evenly: what ordinary scans have
MARGIN = 8  # pixels at the border of a patch that stay out of the loss, as patches are not periodic
PATCH = 96


class Activation(torch.autograd.Function):
    """Derivatives of the potentials at responses (filters, points), from a table that is built and pulled back."""

    @staticmethod
    def forward(ctx: Any, responses: Tensor, weights: Tensor, variance: Tensor, spreads: Any, bound: float) -> Tensor:
        mixture = weights.detach().double().numpy(), variance.detach().double().numpy()
        table = build_table(*mixture, spreads, bound, TRAINING_DENSITY)
        flat = responses.detach().contiguous().numpy()
        out = np.empty_like(flat)
        for k in range(len(flat)):
            look_up(flat[k], table.cells[k], table.inverse_steps[k], out[k])
        ctx.kept = (flat, table, mixture, bound)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor) -> tuple[Tensor | None, ...]:
        flat, table, mixture, bound = ctx.kept
        pulled = outputs[0].contiguous().numpy()
        slopes, nodes = np.empty_like(flat), np.zeros_like(table.values)
        for k in range(len(flat)):
            spread(flat[k], pulled[k], table.cells[k], table.inverse_steps[k], slopes[k], nodes[k])
        gradients = np.zeros_like(mixture[0]), np.zeros_like(mixture[1])
        table_gradients(*mixture, table.steps, bound, table.values, nodes, *gradients)
        weights, variance = (torch.from_numpy(gradient).float() for gradient in gradients)
        return torch.from_numpy(slopes), weights, variance, None, None


def denoise(state: TrainingState, parameters: dict[str, Tensor], images: Tensor, sigma: float) -> Tensor:
    """Tweedie's estimate of (patches, height, width), circular at the borders, differentiable in all."""
    configuration, filters = state.configuration, parameters["filters"]
    weights = filter_weights(configuration, parameters["weights"])
    gains = local_gains(filters, configuration.gain)
    variance = variances(configuration, parameters, gains, torch.tensor([sigma]))[0]
    half = configuration.filter_size // 2
    kernels = filters.unsqueeze(1)
    responses = conv2d(pad(images.unsqueeze(1), (half,) * 4, mode="circular"), kernels)
    planes = responses.transpose(0, 1)
    spreads = (filters.detach().double().square().sum((1, 2)).sqrt() * sigma).numpy()
    active = Activation.apply(planes.reshape(len(filters), -1), weights, variance, spreads, configuration.bound)
    back = pad(active.view(planes.shape).transpose(0, 1), (half,) * 4, mode="circular")
    sums = conv2d(back, kernels.flip(-2, -1).transpose(0, 1)).squeeze(1)
    return images - sigma**2 * sums


def random_mask(rng: np.random.Generator, size: int) -> np.ndarray:
    """Whole columns or scattered points, denser in the middle; one in two to one in five samples."""
    distance = np.abs(np.fft.fftfreq(size) * 2)
    rate = rng.uniform(2, 5)
    if rng.integers(2):
        density = 1 / (1 + (distance / 0.15) ** 2)
        chosen = rng.random(size) < np.minimum(1, density * size / rate / density.sum()) + (distance < 0.08)
        return np.broadcast_to(chosen, (size, size))
    radius = np.hypot(distance[:, None], distance[None])
    density = np.exp(-(radius**2) / 0.18)
    return rng.random((size, size)) < np.minimum(1, density * size**2 / rate / density.sum())


def unrolled_loss(
    state: TrainingState, parameters: dict[str, Tensor], clean: Tensor, rng: np.random.Generator, steps: int
) -> Tensor:
    """Mean logarithm of the squared error that splitting leaves after a few steps."""
    size = clean.shape[-1]
    masks = torch.from_numpy(np.stack([random_mask(rng, size) for _ in clean]).copy()).float()
    noise = torch.from_numpy(rng.uniform(*DATA_NOISE, len(clean)).astype(np.float32)).view(-1, 1, 1)
    parts = rng.standard_normal((2, *clean.shape), dtype=np.float32)
    data = masks * (torch.fft.fft2(clean, norm="ortho") + noise * torch.complex(*torch.from_numpy(parts)))
    image = torch.fft.ifft2(data, norm="ortho").real
    for level in np.geomspace(LARGEST, SMALLEST, steps):
        estimate = denoise(state, parameters, image, float(level))
        weight = (PRIOR_WEIGHT * noise / float(level)) ** 2
        spectrum = (data + weight * torch.fft.fft2(estimate, norm="ortho")) / (masks + weight)
        image = torch.fft.ifft2(spectrum, norm="ortho").real
    inner = slice(MARGIN, size - MARGIN)
    errors = (image - clean)[:, inner, inner].square().mean((1, 2))
    return (errors + 1e-7).log().mean()  # 1e-7: patches without tissue must not count without end


def advance_unrolled(state: TrainingState, source: BatchSource, steps: int, keep: float) -> float:
    """Do one iteration in place and return its unrolled loss, in decibels."""
    state.iteration += 1
    leaves = {name: values.detach().requires_grad_() for name, values in state.parameters.items()}
    batch = source.draw(state.iteration)
    clean = torch.from_numpy(batch.noisy - batch.sigma[:, None, None] * batch.noise)
    rng = np.random.default_rng([state.settings.seed, state.iteration, 1])
    loss = unrolled_loss(state, leaves, clean, rng, steps)
    whole = loss + keep * training_loss(state, leaves, batch) if keep else loss
    gradients = torch.autograd.grad(whole, list(leaves.values()))
    with torch.no_grad():
        for (name, values), gradient in zip(state.parameters.items(), gradients, strict=True):
            rate = state.settings.rate(name, state.iteration)
            step(name, values, gradient, state.moments[name], rate, state.iteration)
    follow(state.averaged, state.parameters.items(), state.iteration, state.settings.average)
    return 10 / np.log(10) * float(loss.detach())


def judge(state: TrainingState, volumes: Sequence[VolumeSlices]) -> str:
    """PSNR after few and more unrolled steps, on the middle of one validation slice of each volume."""
    slices = [volume.validation[len(volume.validation) // 2] for volume in volumes if volume.validation]
    corners = [(image.shape[0] // 2 - PATCH // 2, image.shape[1] // 2 - PATCH // 2) for image in slices]
    patches = [image[y : y + PATCH, x : x + PATCH] for image, (y, x) in zip(slices, corners, strict=True)]
    clean = torch.from_numpy(np.stack(patches[:12]))
    with torch.no_grad():
        losses = [unrolled_loss(state, state.averaged, clean, np.random.default_rng(3), steps) for steps in (5, 10)]
    return " and ".join(f"{-10 / np.log(10) * float(loss):.2f} dB" for loss in losses) + " after 5 and 10 steps"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", default="flf-tc")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=400)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--keep", type=float, default=10.0, help="weight of the denoising loss that is added")
    parser.add_argument("--loss", choices=("unrolled", "denoising"), default="unrolled")
    options = parser.parse_args()
    torch.set_num_threads(1)
    settings = TrainingSettings(
        iterations=options.iterations, batch=options.batch, patch=PATCH, sigma_max=0.5, weight_rate=1e-3,
        filter_rate=2e-3, time_rate=3e-4, decay=1.0, average=0.99, seed=options.seed,
    )  # fmt: skip
    begun = load_experts(options.start, "Training")
    state = TrainingState.begin(begun.configuration, settings, begun)
    volumes = load_slices(options.data)
    source, images = BatchSource(volumes, settings, PATCH), pick_validation(volumes)
    print(f"before: {judge(state, volumes)}", flush=True)
    started, losses = time.process_time(), []
    while state.iteration < settings.iterations:
        unrolled = options.loss == "unrolled"
        losses.append(
            advance_unrolled(state, source, options.steps, options.keep) if unrolled else advance(state, source)
        )
        if state.iteration % 50 == 0 or state.iteration == settings.iterations:
            state.seconds = time.process_time() - started
            print(f"{state.iteration}: {np.mean(losses[-50:]):.3f}, {state.seconds:.0f} s", flush=True)
    quality = denoising_psnr(averaged_prior(state), images)
    state.history.append(ValidationPoint(state.iteration, state.seconds, losses[-1], quality))
    print("one-step denoising: " + ", ".join(f"{value:.2f}" for value in quality))
    print(f"after: {judge(state, volumes)}")
    options.out.mkdir(parents=True, exist_ok=True)
    print(export_prior(state, volumes, options.out / "flf-tc.safetensors", "flf-tc"))


if __name__ == "__main__":
    main()
