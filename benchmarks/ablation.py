"""From the paper's algorithm to `posterior`, one change after the other: PSNR and coverage of each, as JSON lines.

    python benchmarks/ablation.py SCAN.h5 [--masks C4/8,G8] [--chains 4] [--after 4]

``--after`` leaves out so many of the first steps, of which the paper's take by far the longest. Every step keeps the
changes before it. Coverage is that of the chains as they are, without a calibration.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from napari_pogmdm.cli.validation_cases import validation_cases
from napari_pogmdm.evaluation.coverage import Errors
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import SamplerSettings


def steps() -> Iterator[tuple[str, SamplerSettings]]:
    """Settings from the paper's to ours, with what changed."""
    paper, posterior = preset("paper"), preset("posterior")
    yield "paper, as printed", paper
    yield "RSS(s) kept at 1", replace(paper, renormalise=True)
    tuned = preset("paper-tuned")
    yield "free parameters tuned (paper-tuned)", tuned
    yield "first coils by the mask", replace(tuned, coil_start="auto")
    levels = {"relative_levels": False, "largest_noise": 0.489, "smallest_noise": 0.001}
    plain = {"injected_noise": 1.0, "draw_width": 1.0, "draw_noise": 1.0, "mirror_noise": False, "turn_images": False}
    cold = replace(posterior, choose="none", map_sets=1, warm_start=False, **levels, **plain)
    yield "exact draws in place of gradient and Langevin steps, noise added again", cold
    yield "images turned", replace(cold, turn_images=True)
    drawn = {"draw_width": posterior.draw_width, "draw_noise": posterior.draw_noise}
    yield "noise by the draw alone, wider and less of it", replace(cold, turn_images=True, injected_noise=0.0, **drawn)
    yield (
        "start from splitting, levels from 2 times the data's noise to half of it, mirrored chains",
        replace(posterior, choose="none", map_sets=1),
    )
    yield "settings that the data choose (posterior)", posterior


def main() -> None:
    """Read the command line and print one object a step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scans", nargs="+")
    parser.add_argument("--masks", default="C4/8,G8")
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--after", type=int, default=0)
    options = parser.parse_args()
    cases = validation_cases(options.scans, options.masks.split(","), 8, "cpu")
    prior = load_prior("flf-tc")
    for name, settings in islice(steps(), options.after, None):
        rows = []
        for case in cases:
            chains = reconstruct(case.measurement, model=prior, preset=settings, chains=options.chains)
            one = reconstruct(case.measurement, model=prior, preset=settings)
            errors = Errors.of(chains, case.reference, case.measurement)
            rows.append(
                {
                    "case": case.name,
                    "one": metrics(case.reference, one.image).psnr,
                    "mean": metrics(case.reference, chains.image).psnr,
                    "inside_1": errors.inside(1.0),
                    "inside_1.96": errors.inside(1.96),
                    "correlation": errors.correlation,
                }
            )
        averages = {key: float(np.mean([row[key] for row in rows])) for key in rows[0] if key != "case"}
        print(json.dumps({"step": name, "average": averages, "cases": rows}), flush=True)


if __name__ == "__main__":
    main()
