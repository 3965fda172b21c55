"""Samples along trajectories: what an iteration costs, how close images come beside BART's, and left-out spokes.

    python benchmarks/trajectories.py iteration
    python benchmarks/trajectories.py quality [--scans demo,VALIDATION.h5] [--spokes 32,64] [--peers bart-tv]
    python benchmarks/trajectories.py left-out [--scan radial-demo] [--every 8]

Prints one line of JSON for each case. Ratios are taken within one run. `quality` simulates golden-angle spokes from
complete scans and gives BART's ``pics -t`` the weight, intensity and noise floor that suit each image best; ours has
its preset. `left-out` has no reference: some spokes are left out of all coils, and predicted by every method; BART's
weight is again the best one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch
from timing import least_work

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.evaluation.bart import bart_session
from napari_pogmdm.evaluation.peers import run_peer
from napari_pogmdm.physics.encoding.toeplitz import ToeplitzEncoding
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.trajectories.kinds import make_trajectory
from napari_pogmdm.physics.trajectories.trajectory import Trajectory
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measure import measure
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.presets import preset

WEIGHTS = [2.0**power for power in range(-13, -4)]
"""Of BART's penalties, tried one after another on left-out spokes."""


def iteration(size: int = 256, coils: int = 8) -> dict[str, object]:
    """One iteration of splitting at 256 x 256 with 8 coils along 64 spokes, over that with a 2-D mask; one thread."""
    torch.set_num_threads(1)
    scan = simulate_scan(shepp_logan((size, size)), coils=coils, noise=0.01)
    prior = load_prior("flf-tc")
    trajectory = make_trajectory("golden-radial", (size, size), 64)
    samplings = {"mask": make_mask("gaussian", (size, size), 4), "trajectory": trajectory}
    found: dict[str, object] = {}
    for moving in (False, True):
        times = {}
        for name, sampling in samplings.items():
            settings = replace(
                preset("fast"), coil_start="low-pass", coil_interval=1 if moving else 10**5, choose="none"
            )
            sampler = make_sampler(undersample(scan, sampling), prior, settings)
            state = sampler.start()
            state = sampler.step(state)
            times[name] = least_work(lambda sampler=sampler, state=state: sampler.step(state), 5)
        word = "iteration_that_moves_coils" if moving else "iteration"
        found |= {f"{word}_{name}_ms": value for name, value in times.items()}
        found[f"{word}_ratio"] = times["trajectory"] / times["mask"]
    encoding = ToeplitzEncoding(torch.from_numpy(trajectory.positions), (size, size))
    images = torch.randn(coils, size, size, dtype=torch.complex64, generator=torch.Generator().manual_seed(0))
    there_and_back = encoding.adjoint(encoding.forward(images))
    error = torch.linalg.vector_norm(encoding.resample(images) - there_and_back) / torch.linalg.vector_norm(
        there_and_back
    )
    return found | {"toeplitz_error": float(error)}


def quality(source: str, spokes: int, preset_name: str, peers: list[str]) -> dict[str, object]:
    """PSNR and SSIM of ours and of peers on simulated golden-angle spokes."""
    scan = open_scan(source)
    acquisition = scan[len(scan) // 2]
    reference = reference_image(acquisition)
    trajectory = make_trajectory("golden-radial", acquisition.shape, spokes)
    measurement = measure(acquisition, trajectory=trajectory)
    found = reconstruct(measurement, preset=preset_name)
    scores = metrics(reference, found.image)
    row: dict[str, object] = {"scan": scan.name, "spokes": spokes, "coils": measurement.coils}
    row |= {"pogmdm": [round(scores.psnr, 2), round(scores.ssim, 4)], "pogmdm_seconds": found.record.seconds}
    for name in peers:
        peer = run_peer(name, measurement, reference, torch.get_num_threads())
        row[name] = [round(peer.metrics.psnr, 2), round(peer.metrics.ssim, 4)]
        row[f"{name}_weight"], row[f"{name}_seconds"] = peer.setting, round(peer.seconds, 1)
    return row


def left_out(source: str, every: int, preset_name: str) -> dict[str, object]:
    """Error on spokes that no method saw, over their signal: all of them, and beyond the complete centre."""
    acquisition = open_scan(source)[0]
    everything = measure(acquisition)
    trajectory = everything.sampling
    assert isinstance(trajectory, Trajectory)
    kept = trajectory.readouts % every != every // 2
    fewer = Trajectory(trajectory.positions[kept], trajectory.shape)
    samples = everything.kspace.numpy()
    seen = measure(samples[:, kept], trajectory=fewer, coils=0)
    scale = seen.scale  # both are in units of the whole measurement then
    rest = torch.from_numpy(trajectory.positions[~kept])
    truth = torch.from_numpy(samples[:, ~kept])
    beyond = torch.from_numpy(trajectory.radius[~kept] > max(fewer.centre) / max(fewer.shape))
    predict = ToeplitzEncoding(rest, trajectory.shape).forward

    def errors(coil_images: torch.Tensor) -> list[float]:
        guess = predict(coil_images)
        guess = guess * (torch.vdot(guess.flatten(), truth.flatten()) / torch.vdot(guess.flatten(), guess.flatten()))
        return [
            round(
                float(torch.linalg.vector_norm((guess - truth)[:, part]) / torch.linalg.vector_norm(truth[:, part])), 5
            )
            for part in (slice(None), beyond)
        ]

    found = reconstruct(seen, preset=preset_name)
    image, coils = torch.from_numpy(found.complex_image) / scale, torch.from_numpy(found.coils)
    products = coils * image if coils.ndim == 3 else (coils * image[:, None]).sum(dim=0)
    row: dict[str, object] = {
        "scan": source,
        "left_out_spokes": len(set(trajectory.readouts[~kept])),
        "coils": seen.coils,
    }
    row["pogmdm"] = errors(products)
    row["zero_filled"] = errors(seen.first_images)
    with bart_session(seen, torch.get_num_threads()) as bart:
        methods: dict[str, Callable[..., np.ndarray]] = {"bart-wavelet": bart.wavelet, "bart-tv": bart.total_variation}
        for name, method in methods.items():
            tried = {}
            for weight in WEIGHTS:
                estimate = torch.from_numpy(method(weight, maps="espirit"))
                tried[weight] = errors(torch.from_numpy(bart.maps("espirit")) * estimate)
            weight = min(tried, key=lambda one: tried[one][1])
            row[name], row[f"{name}_weight"] = tried[weight], weight
    return row


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["iteration", "quality", "left-out"])
    parser.add_argument("--scans", default="demo")
    parser.add_argument("--scan", default="radial-demo")
    parser.add_argument("--spokes", default="32,64")
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--preset", default="default")
    parser.add_argument("--peers", default="bart-wavelet,bart-tv")
    asked = parser.parse_args()
    if asked.part == "iteration":
        print(json.dumps(iteration(), indent=2))
    elif asked.part == "left-out":
        print(json.dumps(left_out(asked.scan, asked.every, asked.preset)))
    else:
        for source in asked.scans.split(","):
            for spokes in asked.spokes.split(","):
                row = quality(source, int(spokes), asked.preset, [name for name in asked.peers.split(",") if name])
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
