"""Denoising of slices that were never trained on by every shipped prior, beside total variation and BM3D.

    python benchmarks/denoising.py DIR [--models FILE.safetensors ...] [--steps N] [--whole] [--json FILE]

DIR is what ``napari-pogmdm training-data fetch DIR`` wrote. Only its test slices are read; with --whole only volumes of
which nothing at all was trained on. Total variation is tuned on each image with knowledge of the truth (an oracle, so
an upper bound on what tuning can do); BM3D is told the true noise level; the priors are told the true noise level and
nothing else. They take one step; with --steps N there is a column for N steps beside each, and below the table stands
what one step and N of them take. Prints Markdown, and JSON with --json FILE.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from skimage.metrics import structural_similarity
from skimage.restoration import denoise_tv_chambolle
from timing import best

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import list_models, load_prior
from napari_pogmdm.recon.sampler.algorithms.denoising import denoise_in_steps
from napari_pogmdm.training.validation import LEVELS, evenly, noisy_copy, psnr
from napari_pogmdm.training.volumes.slices import load_slices

Image = NDArray[np.float32]
Denoiser = Callable[[Image, Image, float], Image]

SIDE, TIMED_LEVEL, REPEATS = 320, 0.1, 5  # pixels and noise level of the image that is timed; the best run counts


def oracle_tv(noisy: Image, clean: Image, sigma: float) -> Image:
    def estimate(log_weight: float) -> Image:
        return denoise_tv_chambolle(noisy, weight=float(np.exp(log_weight)), eps=1e-5, max_num_iter=300)

    found = minimize_scalar(
        lambda log_weight: -psnr(clean, estimate(log_weight)),
        bounds=(np.log(0.2 * sigma), np.log(3 * sigma)),
        method="bounded",
        options={"xatol": 0.05, "maxiter": 12},
    )
    return estimate(found.x)


def bm3d(noisy: Image, clean: Image, sigma: float) -> Image:
    from bm3d import bm3d as run

    return np.asarray(run(noisy, sigma), dtype=np.float32)


def by_prior(prior: ScorePrior, steps: int) -> Denoiser:
    return lambda noisy, clean, sigma: denoise_in_steps(prior, noisy, sigma, steps)


def by_models(models: dict[str, str], steps: Sequence[int]) -> dict[str, Denoiser]:
    """One denoiser for every model, name and weights, and number of steps."""
    priors = {name: load_prior(source) for name, source in models.items()}
    return {column(name, count): by_prior(prior, count) for name, prior in priors.items() for count in steps}


def column(name: str, steps: int) -> str:
    return name if steps == 1 else f"{name}, {steps} steps"


def nothing(noisy: Image, clean: Image, sigma: float) -> Image:
    return noisy


def measure(images: Sequence[Image], sigma: float, denoiser: Denoiser) -> tuple[float, float]:
    """Mean PSNR and SSIM (7 x 7 window), both for a data range of one."""
    quality = []
    for number, image in enumerate(images):
        estimate = denoiser(noisy_copy(image, sigma, number), image, sigma)
        quality.append((psnr(image, estimate), structural_similarity(image, estimate, data_range=1.0)))
    return tuple(np.mean(quality, axis=0).tolist())


def milliseconds(denoiser: Denoiser) -> float:
    """What an image takes, once the tables of its noise levels are made."""
    clean = np.abs(shepp_logan((SIDE, SIDE))).astype(np.float32)
    noisy = noisy_copy(clean, TIMED_LEVEL, 0)
    return round(best(lambda: denoiser(noisy, clean, TIMED_LEVEL), REPEATS), 1)


def markdown(table: dict[str, dict[str, dict[str, tuple[float, float]]]], methods: Sequence[str]) -> str:
    lines = ["| data | sigma | " + " | ".join(methods) + " |", "|---" * (len(methods) + 2) + "|"]
    for anatomy, levels in table.items():
        for sigma, row in levels.items():
            cells = [f"{row[method][0]:.2f} / {row[method][1]:.3f}" for method in methods]
            lines.append(f"| {anatomy} | {sigma} | " + " | ".join(cells) + " |")
    means = [
        np.mean([row[method] for levels in table.values() for row in levels.values()], axis=0) for method in methods
    ]
    lines.append("| mean | | " + " | ".join(f"{mean[0]:.2f} / {mean[1]:.3f}" for mean in means) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--slices", type=int, default=4, help="test slices of each volume, evenly spaced")
    parser.add_argument("--models", nargs="*", default=[], help="further weight files")
    parser.add_argument("--only", nargs="*", help="shipped models to run; all unless given")
    parser.add_argument("--steps", type=int, default=1, help="also let every prior take N steps, and time it")
    parser.add_argument("--whole", action="store_true", help="only volumes that are kept out as a whole")
    parser.add_argument("--no-baselines", action="store_true", help="priors only, which takes seconds")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    models = {entry.name: entry.name for entry in list_models() if options.only is None or entry.name in options.only}
    models |= {Path(model).parent.name: model for model in options.models}
    by_steps = by_models(models, sorted({1, options.steps}))
    methods: dict[str, Denoiser] = {"noisy": nothing, **by_steps}
    if not options.no_baselines:
        methods |= {"oracle TV": oracle_tv, "BM3D": bm3d}
    table: dict[str, dict[str, dict[str, tuple[float, float]]]] = {}
    for volume in load_slices(options.data):
        if volume.test and not (options.whole and (volume.train or volume.validation)):
            images = evenly(volume.test, options.slices)
            table[volume.name] = {
                f"{sigma:g}": {name: measure(images, sigma, method) for name, method in methods.items()}
                for sigma in LEVELS
            }
    print(markdown(table, list(methods)))
    times = {name: milliseconds(denoiser) for name, denoiser in by_steps.items()} if options.steps > 1 else {}
    if times:
        taken = "; ".join(f"{name}: {time}" for name, time in times.items())
        print(f"\nMilliseconds for a real image of {SIDE} x {SIDE} pixels, the best of {REPEATS} runs: {taken}.")
    if options.json is not None:
        figures = table | {"milliseconds": times} if times else table
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
