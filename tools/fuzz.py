"""Damages small files of every kind by the thousand, reads them, and counts what the program makes of them.

    make fuzz                                  # 400 files a reader, at most ten minutes
    python tools/fuzz.py --cases 20 --only mask

A case is *refused* with the program's own sentence, or *accepted* with finite numbers. Anything else is *wrong*:
another exception, a crash, NaN, more than 1 GB of memory, more than 20 seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
import traceback
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

BATCH = 25  # cases that a process tries before it reports
LONGEST = 20.0  # seconds of a case, on a machine that has other work
MOST_MEMORY = 2**30  # bytes that a case may add; the readers' bound for such small files is a fraction
OUTCOMES = ("tried", "refused", "accepted", "wrong")


@cache
def known() -> dict[str, object]:
    """All readers by name, with their sound bytes made once a process."""
    from fuzz_networks import networks
    from fuzz_readers import readers
    from fuzz_scans import scans

    return {one.name: (one, one.sound()) for one in (*readers(), *scans(), *networks())}


def prepare() -> None:
    """Give a process one thread; a file is small."""
    import torch

    torch.set_num_threads(1)


def try_case(name: str, seed: int, folder: Path) -> tuple[str, str]:
    """Damage one file and read it: the outcome, and what was said."""
    import numpy as np

    from napari_pogmdm.errors import InputError

    reader, sound = known()[name]
    path = folder / reader.file
    path.parent.mkdir(parents=True, exist_ok=True)
    content = sound if seed < 0 else reader.damage(sound, random.Random(f"{name} {seed}"))  # noqa: S311 - no secret
    path.write_bytes(content)
    began, before = time.perf_counter(), _memory()
    try:
        found = reader.read(folder)
    except InputError as error:
        outcome, said = "refused", str(error)
        if not said.isprintable() or len(said) > 600:
            outcome, said = "wrong", f"no sentence: {said!r}"
    except Exception:
        outcome, said = "wrong", traceback.format_exc()
    else:
        finite = all(np.isfinite(np.asarray(one)).all() for one in found or () if one is not None)
        outcome, said = ("accepted", "") if finite else ("wrong", "accepted NaN or infinity")
    if outcome != "wrong" and time.perf_counter() - began > LONGEST:
        outcome, said = "wrong", f"took more than {LONGEST:g} s"
    if outcome != "wrong" and _memory() - before > MOST_MEMORY:
        outcome, said = "wrong", "took more than 1 GB"
    return outcome, said


def try_batch(job: tuple[str, int, int], common: None = None) -> list[tuple[str, int, str, str]]:
    """Try the cases of a batch: name, seed, outcome and what was said of each."""
    name, first, last = job
    told = []
    for seed in range(first, last):
        with tempfile.TemporaryDirectory(prefix="pogmdm-fuzz-") as folder:
            told.append((name, seed, *try_case(name, seed, Path(folder))))
    return told


def _memory() -> int:
    """Peak memory of this process in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> int:
    """Try everything, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=400, help="files a reader")
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--seconds", type=float, default=600, help="after which no new batch begins")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--only", default="", help="readers whose name contains this")
    options = parser.parse_args()
    from napari_pogmdm.runtime.pool.pool import Lost, run_jobs
    from napari_pogmdm.runtime.pool.processes import Processes

    names = [name for name in known() if options.only in name]
    for name in names:
        with tempfile.TemporaryDirectory(prefix="pogmdm-fuzz-") as folder:
            outcome, said = try_case(name, -1, Path(folder))
        if outcome != "accepted":
            print(f"{name}: the sound file is {outcome}: {said}", file=sys.stderr)
            return 1
    end = time.monotonic() + options.seconds
    starts = range(options.seed, options.seed + options.cases, BATCH)
    jobs = [(name, first, min(first + BATCH, options.seed + options.cases)) for first in starts for name in names]
    counts = {name: dict.fromkeys(OUTCOMES, 0) for name in names}
    for _, result in run_jobs(Processes(options.jobs, prepare), try_batch, jobs, in_order=False):
        lost = isinstance(result, Lost)
        told = [(result.job[0], result.job[1], "wrong", f"crashed: {result}")] if lost else result
        for name, seed, outcome, said in told:
            counts[name]["tried"] += 1
            counts[name][outcome] += 1
            if outcome == "wrong":
                print(f"\n{name}, seed {seed}:\n{said}", file=sys.stderr)
        if time.monotonic() > end:
            break
    print(table(counts))
    print(json.dumps({"cases": sum(row["tried"] for row in counts.values()), "seed": options.seed, "readers": counts}))
    return int(any(row["wrong"] for row in counts.values()))


def table(counts: dict[str, dict[str, int]]) -> str:
    """Write the counts as a Markdown table with their sum."""
    total = {outcome: sum(row[outcome] for row in counts.values()) for outcome in OUTCOMES}
    lines = ["| reader | " + " | ".join(OUTCOMES) + " |", "|---|" + "---:|" * len(OUTCOMES)]
    for name, row in {**counts, "all": total}.items():
        lines.append(f"| {name} | " + " | ".join(str(row[outcome]) for outcome in OUTCOMES) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
