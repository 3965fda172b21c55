"""Runs beside other busy programs, which this starts itself, against the same runs without them.

Prints JSON: seconds of a run beside 0, 1 and 2 programs that do nothing but compute, and ratios to the first. Every
round takes all of them in turn, and the shortest of all rounds counts, so that a machine which does other things, too,
disturbs all alike.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

import napari_pogmdm as pg
from napari_pogmdm.runtime import threads
from napari_pogmdm.runtime.pace import Pace

PROGRAMS = (0, 1, 2)
SPIN = "import time\nbegun = time.monotonic()\nwhile time.monotonic() - begun < 300: pass"


@contextmanager
def busy_programs(count: int) -> Iterator[None]:
    started = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(count)]
    time.sleep(0.3 * bool(count))  # until they compute
    try:
        yield
    finally:
        for program in started:
            program.kill()
        for program in started:
            program.wait()


def beside_others(run: Callable[[], object], rounds: int) -> dict[str, dict[str, float]]:
    """Shortest seconds of a run beside other programs, and how many times the quiet ones that is."""
    run()
    seconds: dict[int, list[float]] = {count: [] for count in PROGRAMS}
    for _ in range(rounds):
        for count in PROGRAMS:
            with busy_programs(count):
                threads._PACE = Pace()  # every run finds out for itself
                begun = time.perf_counter()
                run()
                seconds[count].append(time.perf_counter() - begun)
    quiet = min(seconds[0])
    return {str(count): {"s": min(times), "ratio": min(times) / quiet} for count, times in seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--stop-after", type=int, default=20, help="iterations of each run")
    options = parser.parse_args()
    scan = pg.open_scan("demo")[0]
    measurement = pg.measure(scan, pg.make_mask("cartesian", scan.shape, 4, 0.08), coils=8)

    def run(model: str) -> Callable[[], object]:
        prior = pg.load_prior(model)
        return lambda: pg.reconstruct(measurement, model=prior, choose="none", stop_after=options.stop_after)

    image = torch.complex(torch.rand(scan.shape), torch.rand(scan.shape))
    shearlets = pg.load_prior("sh-2")
    report = {
        "threads": torch.get_num_threads(),
        "load_of_the_machine": os.getloadavg()[0],
        "default": beside_others(run("flf-tc"), options.rounds),
        "default_with_shearlets": beside_others(run("sh-2"), options.rounds),
        "scores_of_shearlets": beside_others(
            lambda: [shearlets.score(image, 0.1) for _ in range(options.stop_after)], options.rounds
        ),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
