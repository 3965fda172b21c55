"""Judge `posterior` on scans of one's own: PSNR beside `default`, coverage, and correlation, as JSON lines.

    python benchmarks/coverage.py SCAN.h5 [SCAN.h5 ...] [--masks C4/8,G8] [--chains 6] [--slice 28]
    python benchmarks/coverage.py --factors

Every case is one line: `default`, one chain, the mean of the chains, the seconds of each, the factor of the shipped
calibration, and the share of the object's pixels inside the 50, 68, 90 and 95 % intervals. ``--factors`` prints how far
the factor that other scans give is from each scan's own, from the cases that the shipped calibration keeps; it runs no
reconstruction.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from napari_pogmdm.cli.measured_slice import measure_slice
from napari_pogmdm.data.dimensions import middle_of
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.evaluation.coverage import LEVELS, deviations, judged_intervals
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.calibration import shipped_calibration
from napari_pogmdm.recon.sampler.choices.choose import choose
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampling.recipe import recipe_from_code
from napari_pogmdm.recon.virtual_coils import AUTO_COILS

FACTS = (
    (),
    ("noise",),
    ("noise", "pixels"),
    ("over_noise",),
    ("over_noise", "noise"),
    ("over_noise", "pixels"),
    ("over_detail",),
    ("over_noise", "over_detail"),
)
_ONE_SEED = 50  # of the single chain: none of those that are averaged


def judge(file: str, code: str, chains: int, index: int | None) -> dict[str, Any]:
    """Run `default`, one chain and several chains on a slice, and compare all with the reference."""
    scan = open_scan(file)
    case = measure_slice(scan[middle_of(scan) if index is None else index], recipe_from_code(code), AUTO_COILS, "cpu")
    measurement, reference = case.measurement, case.reference
    if reference is None:
        raise SystemExit(f"{scan.name}: has no full scan to compare with.")
    runs: dict[str, dict[str, Any]] = {
        "default": {"preset": "default"},
        "one": {"preset": "posterior", "seed": _ONE_SEED},
        "mean": {"preset": "posterior", "chains": chains},
    }
    choose(measurement, load_prior(DEFAULT_MODEL), preset("default"))  # is remembered, so that no run pays for it
    images, seconds = {}, {}
    for name, wanted in runs.items():
        begun = time.process_time()
        images[name] = reconstruct(measurement, **wanted)
        seconds[name] = time.process_time() - begun
    judged = judged_intervals(images["mean"], reference, measurement)
    if judged is None:
        raise SystemExit("chains: intervals need two or more.")
    errors, factor = judged
    return {
        "case": f"{scan.name} {code}",
        "chains": chains,
        "psnr": {name: metrics(reference, result.image).psnr for name, result in images.items()},
        "factor": factor,
        "inside": {f"{100 * level:.0f}": errors.inside(deviations(level), factor) for level in LEVELS},
        "correlation": errors.correlation,
        "seconds_of_processor": seconds,
        "noise": errors.noise,
    }


def factors() -> dict[str, Any]:
    """Compare each case's own factor with what the cases of the other scans predict from different facts."""
    calibration = shipped_calibration("posterior", DEFAULT_MODEL)
    if calibration is None:
        raise SystemExit(f"posterior has no calibration with {DEFAULT_MODEL}.")
    rows = calibration.evidence["rows"]
    return {f"powers of {' and '.join(facts) or 'nothing'}": _left_out(rows, facts) for facts in FACTS}


def _left_out(rows: Sequence[dict[str, Any]], facts: Sequence[str]) -> dict[str, Any]:
    off = {}
    for scan in dict.fromkeys(row["scan"] for row in rows):
        others = [row for row in rows if row["scan"] != scan]
        known = np.log([[row[fact] for fact in facts] for row in others])
        design = np.column_stack([np.ones(len(others)), known])
        powers = np.linalg.lstsq(design, np.log([row["factor_alone"] for row in others]), rcond=None)[0]
        for row in (row for row in rows if row["scan"] == scan):
            place = np.log([row[fact] for fact in facts])
            off[f"{scan} {row['mask']}"] = math.exp(powers @ [1.0, *place]) / row["factor_alone"] - 1
    smallest, largest = min(off, key=off.__getitem__), max(off, key=off.__getitem__)
    return {
        "mean_off_percent": 100 * float(np.mean(np.abs(list(off.values())))),
        "lowest": {"case": smallest, "off_percent": 100 * off[smallest]},
        "highest": {"case": largest, "off_percent": 100 * off[largest]},
    }


def main() -> None:
    """Read the command line and print one object a case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scans", nargs="*")
    parser.add_argument("--masks", default="C4/8,G8")
    parser.add_argument("--chains", type=int, default=6)
    parser.add_argument("--slice", type=int, help="the middle one unless given")
    parser.add_argument("--factors", action="store_true")
    options = parser.parse_args()
    if not options.scans and not options.factors:
        parser.error("name scans, or ask for --factors")
    if options.factors:
        print(json.dumps(factors()), flush=True)
    for scan in options.scans:
        for code in options.masks.split(","):
            print(json.dumps(judge(scan, code, options.chains, options.slice)), flush=True)


if __name__ == "__main__":
    main()
