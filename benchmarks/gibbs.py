"""Means and standard deviations of samplers against the exact posterior of small problems, as JSON.

    python benchmarks/gibbs.py [--sweeps 6000] [--chains 24] [--only posterior]

A 64 x 64 image, one coil that is 1 everywhere, a real image. The truth is two runs of block Gibbs sampling, whose
difference says how well it is known; a third of the sweeps is left out. Deviations are in per cent of the maximum.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import Measurement, undersample
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.gibbs import GibbsSampler
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import SamplerSettings

SHAPE = (64, 64)
NOISE = 0.02
Moments = tuple[NDArray[np.float64], NDArray[np.float64]]


def exact(measurement: Measurement, prior: Prior, sigma: float, noise: float, sweeps: int, seed: int) -> Moments:
    """Mean and standard deviation over the sweeps after the first third."""
    sampler = GibbsSampler(measurement, prior, sigma, noise, sweeps, seed)
    state, total, squares, count = sampler.start(), 0.0, 0.0, 0
    for sweep in range(sweeps):
        state = sampler.step(state)
        if sweep >= sweeps // 3:
            image = state.image.numpy()
            total, squares, count = total + image, squares + image**2, count + 1
    mean = np.asarray(total / count)
    return mean, np.sqrt(np.maximum(np.asarray(squares / count) - mean**2, 0))


def sampled(measurement: Measurement, prior: Prior, settings: SamplerSettings, chains: int) -> Moments:
    """Mean and standard deviation over chains."""
    ends = []
    for seed in range(chains):
        sampler = make_sampler(measurement, prior, settings, (seed,))
        state = sampler.start()
        while state.iteration < sampler.steps:
            state = sampler.step(state)
        ends.append(state.image[0].double().numpy())
    return np.mean(ends, axis=0), np.std(ends, axis=0, ddof=1)


def compared(found: Moments, truth: Moments, image: NDArray[np.floating]) -> dict[str, float]:
    """Tell how far mean and deviation are from the truth inside the object."""
    body = image > 0.1 * image.max()
    away = found[0][body] - truth[0][body]
    return {
        "mean_off_in_exact_deviations": float(np.sqrt((away**2).mean()) / np.sqrt((truth[1][body] ** 2).mean())),
        "deviation_percent": float(100 * found[1][body].mean()),
        "deviation_over_exact": float(np.sqrt((found[1][body] ** 2).mean() / (truth[1][body] ** 2).mean())),
        "correlation_of_deviations": float(np.corrcoef(found[1][body], truth[1][body])[0, 1]),
        "error_percent": float(100 * np.sqrt(((found[0] - image)[body] ** 2).mean())),
    }


def main() -> None:
    """Read the command line and print one object a mask."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sweeps", type=int, default=6000)
    parser.add_argument("--chains", type=int, default=24)
    parser.add_argument("--only", help="methods whose names begin so; all of them unless given", default="")
    options = parser.parse_args()
    torch.set_num_threads(1)
    prior, image = load_prior("flf-tc"), shepp_logan(SHAPE)
    scan = simulate_scan(image, coils=1, noise=NOISE, seed=1)
    for kind, acceleration in (("gaussian", 3), ("cartesian", 3)):
        measurement = undersample(scan, make_mask(kind, SHAPE, acceleration, 0.15))
        noise = NOISE / measurement.scale
        one_coil = {"real_image": True, "update_coils": False, "data_noise": noise, "choose": "none", "map_sets": 1}
        posterior = replace(preset("posterior"), **one_coil)
        level = posterior.smallest_noise * noise
        truth, again = (exact(measurement, prior, level, noise, options.sweeps, seed) for seed in (1, 2))
        scaled = image / measurement.scale
        methods = {
            "posterior": posterior,
            "posterior, cold": replace(
                posterior, warm_start=False, relative_levels=False, largest_noise=0.3, smallest_noise=level
            ),
            "paper": replace(preset("paper"), real_image=True, update_coils=False),
            "paper-tuned": replace(preset("paper-tuned"), real_image=True, update_coils=False),
            "default": replace(preset("default"), **one_coil),
        }
        rows = {"gibbs again": compared(again, truth, scaled)}
        for name, settings in methods.items():
            if not name.startswith(options.only):
                continue
            rows[name] = compared(sampled(measurement, prior, settings, options.chains), truth, scaled)
        exact_percent = float(100 * truth[1][scaled > 0.1 * scaled.max()].mean())
        facts = {"mask": f"{kind} {acceleration}", "sweeps": options.sweeps, "chains": options.chains}
        print(json.dumps({**facts, "exact_deviation_percent": exact_percent, "against_gibbs": rows}), flush=True)


if __name__ == "__main__":
    main()
