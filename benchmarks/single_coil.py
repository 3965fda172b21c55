"""What total variation reaches in the paper's single-coil protocol, by its weight, its steps and how it was tuned.

    python benchmarks/single_coil.py SCAN ... [--masks C4,S5,R6,G8] [--models flf-tc ...]

Gains over total variation depend on how well that was tuned. For each mask, prints the PSNR in dB, mean over the scans,
of total variation at every weight after few and many steps, at the weight that is best on average, and at the one that
is best for each image, and of models. Twice 'converged' steps change nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
import torch

from napari_pogmdm.evaluation.method_names import parse_sampler
from napari_pogmdm.evaluation.table import Cell, load_case
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics

# In front of the total variation. The paper does not print its own; these are one over the weights 3360, 2336, 785
# and 183 of the data term in its authors' earlier code for a radial, spiral, Cartesian and random mask, and beyond.
WEIGHTS = (0.0003, 0.00043, 0.0013, 0.0027, 0.0055, 0.011, 0.022)


def variation(cells: Sequence[Cell], steps: int) -> np.ndarray:
    """PSNR of total variation, (cells, weights)."""
    rows = []
    for cell in cells:
        _, measurement, reference = load_case(cell)
        images = [reconstruct(measurement, Method.TV, weight=w, real=True, steps=steps).image for w in WEIGHTS]
        rows.append([metrics(reference, image, data_range=1.0).psnr for image in images])
    return np.array(rows)


def model(cells: Sequence[Cell], name: str) -> float:
    """Mean PSNR of one chain with a prior."""
    found = []
    for cell in cells:
        _, measurement, reference = load_case(cell)
        sampler = parse_sampler(f"pogmdm:{name}", single_coil=True)
        assert sampler is not None
        found.append(metrics(reference, sampler.run(measurement).image, data_range=1.0).psnr)
    return float(np.mean(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scans", nargs="+")
    parser.add_argument("--masks", default="C4,S5,R6,G8")
    parser.add_argument("--models", nargs="*", default=["sh-2", "flf", "flf-tc"])
    parser.add_argument("--steps", nargs="*", type=int, default=[50, 100, 400], help="of total variation")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for mask in options.masks.split(","):
        cells = [Cell(scan, mask, "tv", single_coil=True) for scan in options.scans]
        print(f"{mask}\nsteps  " + " ".join(f"{weight:8g}" for weight in WEIGHTS) + "  one weight  each its own")
        for steps in options.steps:
            table = variation(cells, steps)
            means = " ".join(f"{value:8.2f}" for value in table.mean(0))
            print(f"{steps:5}  {means} {table.mean(0).max():11.2f} {table.max(1).mean():14.2f}", flush=True)
        for name in options.models:
            print(f"{name}: {model(cells, name):.2f}", flush=True)


if __name__ == "__main__":
    main()
