"""`default` and `fast`, choosing included, beside BART's nlinv at its best setting: times in one run, as JSON.

    python benchmarks/nlinv.py [--masks C4/8,C4/4] [--repeats 3] [--threads 1] [--steps 8,9] [--sets 1] [SCAN.h5 ...]

For each scan (the bundled one, if none is named) and mask, nlinv runs with one and two sets of maps and every number of
Newton steps from 6 to 12, or those that are named. The best of them by the reference, with the intensity and the noise
floor that suit it, is timed. Then all are run in turns, and the least time of each counts: of the processor, which
other programs disturb little, and of the clock. What a run of ours chose is forgotten before the next.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import torch

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.evaluation.bart import Bart, bart_session
from napari_pogmdm.evaluation.peers import best_intensity
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.choices.choose import forget
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.virtual_coils import AUTO_COILS

STEPS = "6,7,8,9,10,11,12"
SETS = "1,2"


def processor() -> float:
    """Seconds of the processor so far, of this program and of those that it started."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, who))


def best_nlinv(
    bart: Bart, measurement: Measurement, reference: FloatImage, plans: list[tuple[int, int]]
) -> tuple[float, int, int]:
    """PSNR, Newton steps and sets of maps that suit the reference best."""
    return max(
        (
            metrics(reference, best_intensity(bart.nonlinear_inversion(steps, sets), measurement, reference)).psnr,
            steps,
            sets,
        )
        for steps, sets in plans
    )


def row(scan: Acquisition, code: str, repeats: int, threads: int, plans: list[tuple[int, int]]) -> dict[str, object]:
    reference = reference_image(scan)
    assert reference is not None
    prior, measurement = (
        load_prior("flf-tc"),
        undersample(scan, MaskRecipe.from_code(code).make_for(scan.shape), coils=AUTO_COILS),
    )
    found: dict[str, float] = {}

    def ours(name: str) -> Callable[[], object]:
        def run() -> None:
            forget()
            found[name] = metrics(reference, reconstruct(measurement, model=prior, preset=preset(name)).image).psnr

        return run

    with bart_session(measurement, threads) as bart:
        found["nlinv"], steps, sets = best_nlinv(bart, measurement, reference, plans)
        runs: dict[str, Callable[[], object]] = {
            "nlinv": lambda: bart.nonlinear_inversion(steps, sets),
            "default": ours("default"),
            "fast": ours("fast"),
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
        for turn in range(repeats + 1):
            for name, run in runs.items():
                begun = processor(), time.perf_counter()
                run()
                if turn:  # the first one compiles and fetches memory
                    times[name].append((processor() - begun[0], time.perf_counter() - begun[1]))
    least = {name: [min(column) for column in zip(*rows, strict=True)] for name, rows in times.items()}
    return {
        "case": scan.source,
        "mask": code,
        "threads": threads,
        "nlinv_steps": steps,
        "nlinv_sets": sets,
        "psnr": found,
        "processor_seconds": {name: seconds[0] for name, seconds in least.items()},
        "clock_seconds": {name: seconds[1] for name, seconds in least.items()},
        "default_over_nlinv": least["default"][0] / least["nlinv"][0],
        "default_over_fast": least["default"][0] / least["fast"][0],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--masks", default="C4/8,C4/8r,C4/4,R11,G8")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", default=STEPS)
    parser.add_argument("--sets", default=SETS)
    arguments = parser.parse_args()
    plans = [(int(steps), int(sets)) for sets in arguments.sets.split(",") for steps in arguments.steps.split(",")]
    if shutil.which("bart") is None:
        parser.error("bart is not installed; on Debian, apt-get install bart")
    torch.set_num_threads(arguments.threads)
    for file in arguments.files or ["demo"]:
        scan = open_scan(str(Path(file)) if file != "demo" else file)
        for code in arguments.masks.split(","):
            middle = scan[len(scan) // 2]
            print(json.dumps(row(middle, code, arguments.repeats, arguments.threads, plans)), flush=True)


if __name__ == "__main__":
    main()
