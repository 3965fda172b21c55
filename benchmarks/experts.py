"""Would potentials on groups of responses, or filters at several scales, be better? One line of JSON a kind and seed.

    python benchmarks/experts.py DIR [SCAN.h5 ...] [--kinds 20,20/2,21/3,14+6,12+5+3] [--iterations 3000] [--seeds 1,2]

DIR is what ``napari-pogmdm training-data fetch DIR`` wrote. A kind names the filters at full, half and quarter
resolution, and after a slash how many responses share a potential: ``20/2`` has ten potentials of the length of two
responses each, ``14+6`` has 14 filters on the image and 6 on the one of half the size. Each is a conservative score,
trained by the usual loss of one step, on cleaned slices of several sizes. Potentials are the paper's mixtures, and for
groups of two or three responses r their counterpart that depends on |r| alone: -log of a mixture of spheres of radii
mu_i, blurred by noise of variance v = s_0^2 + sigma_k^2,

    p(r) = sum_i w_i exp(-(|r|^2 + mu_i^2) / 2v) Z(|r| mu_i / v),  Z = cosh, I_0, sinh(x) / x for 1, 2, 3 responses.

Printed are, in dB, one step and eight steps on volumes of which nothing was trained on, and with SCANs the mean of five
masks with ``fast``, where nothing else is chosen.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import conv2d, conv_transpose2d, pad, softplus

from napari_pogmdm.cli.validation_cases import validation_cases
from napari_pogmdm.evaluation.ablation import MASKS, reconstruction_row
from napari_pogmdm.prior.protocol import as_tensor, real_images
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.algorithms.denoising import STEPS, denoise_in_steps
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import Choosing
from napari_pogmdm.recon.virtual_coils import AUTO_COILS
from napari_pogmdm.training.batches import BatchSource
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.validation import LEVELS, evenly, noisy_copy, psnr
from napari_pogmdm.training.volumes.preparation import prepared
from napari_pogmdm.training.volumes.slices import VolumeSlices, load_slices

TAPS = 5  # of every filter, each way, at its own resolution
PATCH, MARGIN = 96, 16  # pixels, and those at the border that are not judged: coarse filters reach that far
STEP, LONGEST = 0.005, 1.2  # nodes of the tables, in units of a response
RADII = torch.linspace(0, 0.5, 48)  # mu_i; priors that ship have 63 of them
WIDTH = 0.5 * float(RADII[1])  # s_0 of the blur without noise: neighbouring spheres merge
KNOTS = torch.logspace(-3, 0, 7).log()  # noise levels between which the rule of time is interpolated
RATES, AVERAGE = {"filters": 5e-3, "logits": 5e-2, "times": 1e-2}, 0.999
HALVING = torch.tensor([1.0, 3.0, 3.0, 1.0]) / 8  # blur before every second pixel is dropped


@dataclass(frozen=True)
class Kind:
    """Filters at full, half, quarter resolution, and responses that share a potential."""

    counts: tuple[int, ...]
    group: int

    @classmethod
    def parse(cls, text: str) -> Kind:
        counts, _, group = text.partition("/")
        return cls(tuple(int(count) for count in counts.split("+")), int(group or 1))


def sphere(ratio: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """log Z(x) - x and Z'(x) / Z(x) in one, two or three dimensions."""
    if size == 1:
        twice = (-2 * ratio).exp()
        return ((1 + twice) / 2).log(), (1 - twice) / (1 + twice)
    if size == 2:
        zeroth = torch.special.i0e(ratio)
        return zeroth.log(), torch.special.i1e(ratio) / zeroth
    if size == 3:
        safe = ratio.clamp(min=1e-2)
        twice = (-2 * safe).exp()
        rising = torch.where(ratio < 1e-2, ratio / 3, (1 + twice) / (1 - twice) - 1 / safe)
        return torch.where(ratio < 1e-2, -ratio, ((1 - twice) / (2 * safe)).log()), rising
    raise SystemExit(f"--kinds: {size} responses in a group are not foreseen; give 1, 2 or 3.")


class Experts(torch.nn.Module):
    """A product of experts of several scales and groups."""

    def __init__(self, kind: Kind, seed: int) -> None:
        super().__init__()
        self.kind = kind
        generator = torch.Generator().manual_seed(seed)
        deviation = 1 / math.sqrt(sum(kind.counts) * TAPS**2)
        drawn = [deviation * torch.randn(count, 1, TAPS, TAPS, generator=generator) for count in kind.counts]
        self.filters = torch.nn.ParameterList(drawn)
        groups = [count // kind.group for count in kind.counts]
        self.logits = torch.nn.ParameterList(
            [-(1 + 500 * RADII**2).log().expand(count, -1).clone() for count in groups]
        )
        self.times = torch.nn.ParameterList([torch.full((count, len(KNOTS)), 0.54) for count in groups])

    def _table(self, scale: int, kernels: Tensor, sigma: Tensor) -> Tensor:
        """phi'(r) / r on the nodes, (images, groups, nodes)."""
        places = (sigma.log()[:, None] - KNOTS[0]) / (KNOTS[1] - KNOTS[0])
        shares = (1 - (places - torch.arange(len(KNOTS))).abs()).clamp(min=0)  # of the knots, (images, knots)
        factors = softplus(self.times[scale]) @ shares.T  # 1 at first, (groups, images)
        size = self.kind.group
        norms = kernels.square().sum((1, 2, 3)).reshape(-1, size).mean(1)  # of the noise, squared
        variance = (WIDTH**2 + (factors.T * sigma[:, None]) ** 2 * norms)[..., None, None]
        lengths = torch.arange(STEP / 2, LONGEST, STEP)[:, None]  # half a step off zero, where 0 / 0 would be
        ratio = lengths * RADII / variance
        terms = self.logits[scale].log_softmax(-1)[:, None] - (lengths - RADII).square() / (2 * variance)
        log_z, slope = sphere(ratio, size)
        pulled = ((terms + log_z).softmax(-1) * RADII * slope).sum(-1)
        return (1 - pulled / lengths[:, 0]) / variance[..., 0]

    def score(self, noisy: Tensor, sigma: Tensor) -> Tensor:
        """Score of images (images, rows, columns) that are right away from the border."""
        total = torch.zeros_like(noisy)
        image = noisy[:, None]
        blur = HALVING[:, None] * HALVING
        for scale, raw in enumerate(self.filters):
            image = conv2d(image, blur[None, None], stride=2, padding=1) if scale else image
            kernels = raw - raw.mean((2, 3), keepdim=True)
            responses = conv2d(image, kernels)
            grouped = responses.unflatten(1, (-1, self.kind.group))
            length = (grouped.square().sum(2) + 1e-12).sqrt()
            table = self._table(scale, kernels, sigma)
            places = (length.flatten(2) / STEP - 0.5).clamp(0, table.shape[2] - 1.001)
            cells = places.detach().long()
            low, high = table.gather(2, cells), table.gather(2, cells + 1)
            weights = (low + (places - cells) * (high - low)).view_as(length)
            pulled = conv_transpose2d((grouped * weights[:, :, None]).flatten(1, 2), kernels)
            for _ in range(scale):
                pulled = conv_transpose2d(pulled, blur[None, None], stride=2, padding=1)
            total = total - pulled[:, 0]
        return total

    def loss(self, noisy: Tensor, noise: Tensor, sigma: Tensor) -> Tensor:
        inner = slice(MARGIN, -MARGIN)
        scaled = sigma[:, None, None] * self.score(noisy, sigma)
        return (scaled + noise)[:, inner, inner].square().mean()


class AsPrior:
    """Experts, as far as samplers ask of a `ScorePrior`."""

    def __init__(self, experts: Experts, name: str) -> None:
        self.name, self.experts, self.information = name, experts, {}
        self.parameters = {key: values.detach() for key, values in experts.named_parameters()}
        self.parameter_count = sum(values.numel() for values in self.parameters.values())
        self.configuration = load_prior("flf-tc").configuration

    def score(self, x: Tensor, sigma: float) -> Tensor:
        planes, restore = real_images(x)
        rows, columns = planes.shape[-2:]
        ends = [MARGIN, MARGIN + -columns % 4, MARGIN, MARGIN + -rows % 4]  # so that halves and quarters fit
        with torch.no_grad():
            wide = pad(planes.float()[:, None], ends, mode="circular")[:, 0]
            found = self.experts.score(wide, torch.full((len(wide),), max(float(sigma), 1e-3)))
        return restore(found[:, MARGIN : MARGIN + rows, MARGIN : MARGIN + columns])

    def denoise(self, x: Any, sigma: float) -> Any:
        image = as_tensor(x)
        estimate = image + sigma**2 * self.score(image, sigma)
        return estimate.numpy() if isinstance(x, np.ndarray) else estimate


def trained(model: Experts, source: BatchSource, iterations: int) -> Experts:
    """Train with Adam and rates that fall along a cosine; give back the moving average."""
    average = [values.detach().clone() for values in model.parameters()]
    optimiser = torch.optim.Adam([{"params": getattr(model, name), "lr": rate} for name, rate in RATES.items()])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, iterations)
    for iteration in range(1, iterations + 1):
        batch = source.draw(iteration)
        loss = model.loss(*(torch.from_numpy(values) for values in (batch.noisy, batch.noise, batch.sigma)))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        share = max(1 - AVERAGE, 1 / iteration)
        for kept, values in zip(average, model.parameters(), strict=True):
            kept.lerp_(values.detach(), share)
    with torch.no_grad():
        for kept, values in zip(average, model.parameters(), strict=True):
            values.copy_(kept)
    return model


def denoising(model: AsPrior, volumes: tuple[VolumeSlices, ...], steps: int) -> list[float]:
    """Mean PSNR at the usual levels on volumes that are kept out as a whole."""
    images = [evenly(volume.test, 3) for volume in volumes if volume.test and not volume.train]
    found = [
        [
            np.mean(
                [
                    psnr(image, denoise_in_steps(model, noisy_copy(image, sigma, n), sigma, steps))
                    for n, image in enumerate(three)
                ]
            )
            for sigma in LEVELS
        ]
        for three in images
    ]
    return [round(float(value), 2) for value in np.mean(found, axis=0)]


def reconstructions(model: AsPrior, files: list[str]) -> dict[str, float]:
    """Mean PSNR of five masks with `fast`, by scan."""
    settings = replace(preset("fast"), choose=Choosing.NONE, map_sets=1)
    found = {}
    for file in files:
        cases = {code: validation_cases([file], [code], AUTO_COILS, "cpu") for code in MASKS}
        found[Path(file).name] = round(float(np.mean(reconstruction_row(model, cases, settings))), 2)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("scans", nargs="*")
    parser.add_argument("--kinds", default="20,20/2,21/3,14+6,12+5+3")
    parser.add_argument("--iterations", type=int, default=3000)
    parser.add_argument("--seeds", default="1,2")
    options = parser.parse_args()
    torch.set_num_threads(1)
    volumes = load_slices(options.data)
    clean = prepared(volumes, 0.8, 0.67, 1)  # as flf-tc-clean
    for seed in map(int, options.seeds.split(",")):
        settings = TrainingSettings(iterations=options.iterations, batch=8, sigma_max=0.5, seed=seed)
        source = BatchSource(clean, settings, PATCH)
        for text in options.kinds.split(","):
            began = time.process_time()
            experts = trained(Experts(Kind.parse(text), seed), source, options.iterations)
            model = AsPrior(experts, text)
            row = {"kind": text, "seed": seed, "parameters": model.parameter_count}
            row |= {"seconds": round(time.process_time() - began)}
            row |= {"one_step": denoising(model, volumes, 1), "eight_steps": denoising(model, volumes, STEPS)}
            print(json.dumps(row | reconstructions(model, options.scans)), flush=True)


if __name__ == "__main__":
    main()
