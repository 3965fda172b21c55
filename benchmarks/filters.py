"""What each filter of a prior is good for: decibels that are lost without it; one line of JSON a filter, best first.

    python benchmarks/filters.py SCAN.h5 [SCAN.h5 ...] [--model NAME] [--masks C4/8,R11] [--preset fast]

Without a filter means that its taps are made so small that it answers to nothing. The others stay as they were learned,
so a filter whose work others could take over looks more needed than it is. Beside the loss stand the filter's norm, and
how many of its seven (or five) rows and columns hold nine tenths of its energy: 3 x 7 is a long edge, 3 x 3 a fine one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from napari_pogmdm.cli.validation_cases import validation_cases
from napari_pogmdm.evaluation.tuning import TuningCase
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.weights import load_experts
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import Choosing, SamplerSettings
from napari_pogmdm.recon.virtual_coils import AUTO_COILS

SILENT = 1e-4  # times a filter: it then says nothing, and its table can still be made
SHARE = 0.9  # of a filter's energy


def extent(profile: torch.Tensor) -> int:
    """Fewest neighbouring rows, or columns, that hold `SHARE` of a filter's energy."""
    energy = (profile / profile.sum()).tolist()
    return next(
        width
        for width in range(1, len(energy) + 1)
        if max(sum(energy[first : first + width]) for first in range(len(energy) - width + 1)) >= SHARE
    )


def without(prior: Prior, number: int) -> Prior:
    """Silence one filter."""
    filters = prior.parameters["filters"].float().clone()
    filters[number] *= SILENT
    return Prior(prior.configuration, prior.parameters | {"filters": filters}, f"{prior.name} without {number}")


def quality(prior: Prior, cases: Sequence[TuningCase], settings: SamplerSettings) -> np.ndarray:
    """PSNR of every case."""
    images = (reconstruct(case.measurement, model=prior, preset=settings).image for case in cases)
    return np.array([metrics(case.reference, image).psnr for case, image in zip(cases, images, strict=True)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scans", nargs="+")
    parser.add_argument("--model", default=DEFAULT_MODEL.value)
    parser.add_argument("--masks", default="C4/8,R11")
    parser.add_argument("--preset", default="fast")
    options = parser.parse_args()
    torch.set_num_threads(1)
    prior = load_experts(options.model, "This benchmark")
    cases = validation_cases(options.scans, options.masks.split(","), AUTO_COILS, "cpu")
    settings = replace(preset(options.preset), choose=Choosing.NONE, map_sets=1)
    whole, rows = quality(prior, cases, settings), []
    for number, taps in enumerate(prior.parameters["filters"].float()):
        lost = whole - quality(without(prior, number), cases, settings)
        energy = taps.square()
        rows.append(
            {
                "filter": number + 1,
                "lost": round(float(lost.mean()), 3),
                "most": round(float(lost.max()), 3),
                "norm": round(float(energy.sum().sqrt()), 3),
                "extent": f"{extent(energy.sum(1))} x {extent(energy.sum(0))}",
            }
        )
    for row in sorted(rows, key=lambda row: -row["lost"]):
        print(json.dumps(row))


if __name__ == "__main__":
    main()
