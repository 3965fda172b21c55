"""What a cluster costs and gains: throughput of one and two workers, overhead of a job, and what a large set takes.

Prints JSON. The bundled slice stands many times in a file, as a volume would, and goes through the same jobs and the
same writer as ``reconstruct --slice all --cluster local:N``. A job times itself on its worker; overhead is what the
workers did not spend in jobs: reading the queue, sending, writing. It is a ratio within one run, so that a busy machine
changes it little. Cost per slice is processor time of one thread, for a slice of fastMRI's size.

    python benchmarks/cluster.py --slices 40
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import torch

from napari_pogmdm.cli.jobs.slice_job import SliceJob, SliceResult, priors_of, run_slice
from napari_pogmdm.cli.options.reconstruction import ReconstructionRequest
from napari_pogmdm.cli.run_plan import SliceRun, plan_runs
from napari_pogmdm.data.header import write_header
from napari_pogmdm.data.result_file import result_file
from napari_pogmdm.data.simulate import phantom_scan
from napari_pogmdm.data.sources import demo_scan, open_scan
from napari_pogmdm.recon.sampler.presets import Preset
from napari_pogmdm.runtime.pool.connect import open_pool
from napari_pogmdm.runtime.pool.pool import run_jobs

VALIDATION = {"volumes": 199, "slices": 7000}  # multi-coil knee validation set of fastMRI, slices rounded
FASTMRI_SHAPE, FASTMRI_COILS = (640, 368), 15  # of its knee scans
CORES = (1, 32, 256)


def timed(job: SliceJob, priors: dict) -> tuple[SliceResult, float]:
    """Do a job, and say how long it took on the worker."""
    begun = time.perf_counter()
    return run_slice(job, priors), time.perf_counter() - begun


def volume(folder: Path, slices: int) -> Path:
    """Write the bundled slice many times into one file."""
    scan = demo_scan()
    one = scan[0]
    path = folder / "volume.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("kspace", (slices, *one.kspace.shape), np.complex64, chunks=(1, *one.kspace.shape))
        file.create_dataset("reconstruction_rss", (slices, *one.reference.shape), np.float32)
        for index in range(slices):
            file["kspace"][index] = one.kspace
            file["reconstruction_rss"][index] = one.reference
        file.create_dataset("ismrmrd_header", data=write_header(one.header))
    return path


def jobs_of(path: Path, request: ReconstructionRequest) -> tuple[list[SliceRun], Iterator[SliceJob]]:
    scan = open_scan(path)
    runs = plan_runs(request, frozenset(), scan, (), None)
    return runs, (SliceJob(run, "cpu", scan=scan) for run in runs)


def throughput(path: Path, request: ReconstructionRequest, workers: int, folder: Path) -> dict:
    """Run a volume on so many workers of this machine."""
    with open_pool(f"local:{workers}") as pool:
        runs, jobs = jobs_of(path, request)
        priors = priors_of(runs)
        warm = [replace(SliceJob(run, "cpu", scan=open_scan(path)), first=False) for run in runs[: 2 * workers]]
        list(run_jobs(pool, timed, warm, priors))  # workers import, compile and fill their tables
        begun, own = time.perf_counter(), 0.0
        with result_file(folder / f"{workers}.h5", len(runs)) as file:
            for number, (found, seconds) in run_jobs(pool, timed, jobs, priors):
                assert not found.refused, found.refused
                file.add(number, found.arrays)
                own += seconds
        passed = time.perf_counter() - begun
    return {
        "workers": workers,
        "slices": len(runs),
        "seconds": round(passed, 2),
        "slices_per_minute": round(60 * len(runs) / passed, 1),
        "seconds_in_jobs": round(own, 2),
        "overhead_percent": round(100 * (workers * passed / own - 1), 1),
    }


def cost(preset: Preset) -> dict:
    """Processor time of one thread for a slice of fastMRI's size, and the bytes that it moves."""
    scan = phantom_scan(FASTMRI_SHAPE, FASTMRI_COILS)
    request = ReconstructionRequest(model="flf-tc", preset=preset)
    [run] = plan_runs(request, frozenset(), scan, (), None)
    job = SliceJob(run, "cpu", scan=scan)
    priors = priors_of([run])
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    begun = time.process_time()
    found = run_slice(job, priors)
    spent = time.process_time() - begun
    torch.set_num_threads(threads)
    return {
        "preset": preset.value,
        "cpu_seconds": round(spent, 2),
        "result_bytes": len(pickle.dumps(found)),
        "sent_slice_bytes": len(pickle.dumps(replace(job, scan=None).read(scan))),
        "weights_bytes": len(pickle.dumps(priors)),
    }


def what_a_set_takes(one: dict, overhead: float) -> list[dict]:
    """Compute hours and bytes for the validation set."""
    slices = VALIDATION["slices"]
    rows = []
    for cores in CORES:
        seconds = slices * one["cpu_seconds"] * (1 + overhead / 100) / cores
        back, there = slices * one["result_bytes"], slices * one["sent_slice_bytes"]
        rows.append(
            {
                "preset": one["preset"],
                "cores": cores,
                "hours": round(seconds / 3600, 2),
                "gigabytes_back": round(back / 1e9, 1),
                "gigabytes_there_without_common_files": round(there / 1e9, 1),
                "megabytes_per_second_back": round(back / seconds / 1e6, 2),
                "megabytes_per_second_without_common_files": round((back + there) / seconds / 1e6, 2),
            }
        )
    return rows


def told(part: dict) -> dict:
    """Print a part as soon as it is known, on the error stream."""
    print(json.dumps(part), file=sys.stderr, flush=True)
    return part


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slices", type=int, default=40, help="of the volume")
    parser.add_argument("--workers", default="1,2", help="to try, separated by commas")
    options = parser.parse_args()
    request = ReconstructionRequest(slice_="all", model="flf-tc", preset=Preset.FAST)
    with tempfile.TemporaryDirectory(prefix="pogmdm-cluster-") as name:
        folder = Path(name)
        path = volume(folder, options.slices)
        runs = [told(throughput(path, request, int(workers), folder)) for workers in options.workers.split(",")]
    costs = [told(cost(Preset.FAST)), told(cost(Preset.DEFAULT))]
    overhead = runs[-1]["overhead_percent"]
    print(
        json.dumps(
            {
                "throughput": runs,
                "cost_per_slice": costs,
                "validation_set": {
                    **VALIDATION,
                    "slice": [FASTMRI_COILS, *FASTMRI_SHAPE],
                    "rows": [row for one in costs for row in what_a_set_takes(one, overhead)],
                },
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
