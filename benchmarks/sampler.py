"""One sampler iteration against its parts, its growth with coils and pixels, and whole runs against BART's nlinv.

Prints JSON. Ratios are taken within one run, each time being the best of several. BART is left out where it is not
installed.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
from collections.abc import Callable
from dataclasses import replace

import torch
from timing import best, least_work, one_thread

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.data.sources import demo_scan
from napari_pogmdm.evaluation.peers import run_peer
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.normal import data_gradient
from napari_pogmdm.physics.sense import Sense
from napari_pogmdm.physics.smoothness import SmoothnessProx
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.presets import PRESETS
from napari_pogmdm.recon.stepper import run


def measurement_of(size: int, coils: int, kind: str = "radial") -> Measurement:
    scan = simulate_scan(shepp_logan((size, size)), coils=coils, noise=0.01)
    return undersample(scan, make_mask(kind, (size, size), 4))


def iteration_against_parts(kind: str) -> dict[str, float]:
    """The paper's iteration (2 scores, 3 data gradients, 1 coil update) at 320 x 320 with 8 coils.

    Times are those of the processor, on one thread, so that other programs disturb them little.
    """
    measurement = measurement_of(320, 8, kind)
    prior = load_prior("flf-tc")
    settings = replace(PRESETS["paper"], renormalise=True, coil_start="low-pass")
    sampler = make_sampler(measurement, prior, settings)
    state = sampler.step(sampler.start())
    sense, smooth = Sense(measurement.measured), SmoothnessProx(measurement.shape)
    image, coils = state.image[:, None], state.coils[:, None]
    zero_filled = sense.zero_filled(measurement.kspace)
    axes = sense.encoding.axes
    actions: dict[str, Callable[[], object]] = {
        "score_ms": lambda: prior.score(image[0, 0], 0.1),
        "data_gradient_ms": lambda: data_gradient(sense, image, coils, zero_filled),
        "transforms_ms": lambda: torch.fft.ifftn(torch.fft.fftn(coils, dim=axes), dim=axes),
        "coil_smoothing_ms": lambda: smooth(coils, 1.0),
        "iteration_ms": lambda: sampler.step(state),
    }
    with one_thread():
        least = {name: least_work(action, repeats=25) for name, action in actions.items()}
    parts = 2 * least["score_ms"] + 3 * least["data_gradient_ms"] + least["coil_smoothing_ms"]
    return {
        **least,
        "coil_smoothing_by_the_clock_ms": best(actions["coil_smoothing_ms"], repeats=25),
        "iteration_over_parts": least["iteration_ms"] / parts,
        "data_over_transforms": least["data_gradient_ms"] / least["transforms_ms"],
    }


def growth() -> dict[str, dict[str, float]]:
    """Milliseconds of an iteration of the default preset against coils and size."""
    prior = load_prior("flf-tc")
    report: dict[str, dict[str, float]] = {"coils_at_256": {}, "size_with_8_coils": {}}
    for name, size, coils in [("coils_at_256", 256, c) for c in (2, 4, 8, 16)] + [
        ("size_with_8_coils", s, 8) for s in (128, 256, 384)
    ]:
        settings = replace(PRESETS["default"], coil_start="low-pass")
        sampler = make_sampler(measurement_of(size, coils), prior, settings)
        state = sampler.step(sampler.start())
        key = str(coils if name == "coils_at_256" else size)
        report[name][key] = best(lambda sampler=sampler, state=state: sampler.step(state), repeats=5)
    return report


def memory_growth(iterations: int) -> float:
    """Megabytes by which the peak grows over many iterations, after as many that do not count.

    The prior keeps the tables of its last 64 noise levels, which are larger the lower the level, and the C library
    needs a few runs to find room for everything: only then anything can be said.
    """
    settings = replace(PRESETS["paper"], coil_start="low-pass")
    sampler = make_sampler(measurement_of(128, 4), load_prior("flf-tc"), settings)
    runs = max(1, iterations // sampler.steps)
    for _ in range(runs):
        run(sampler)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(runs):
        run(sampler)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def runs_against_nlinv() -> dict[str, float]:
    """Seconds of one chain on the bundled scan, and of BART's nlinv at the setting that suits it best."""
    acquisition = demo_scan()[0]
    measurement = undersample(acquisition, make_mask("cartesian", acquisition.shape, 4, 0.08), coils=8)
    prior = load_prior("flf-tc")
    report = {
        f"{name}_s": best(lambda name=name: reconstruct(measurement, model=prior, preset=PRESETS[name]), repeats=3)
        / 1e3
        for name in ("default", "fast")
    }
    report["default_over_fast"] = report["default_s"] / report["fast_s"]
    if shutil.which("bart"):
        reference = reference_image(acquisition)
        assert reference is not None
        report["bart_nlinv_s"] = min(run_peer("bart-nlinv", measurement, reference).seconds for _ in range(2))
        report["default_over_nlinv"] = report["default_s"] / report["bart_nlinv_s"]
        report["fast_over_nlinv"] = report["fast_s"] / report["bart_nlinv_s"]
    return report


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only-parts", action="store_true", help="of an iteration, and nothing else")
    parser.add_argument("--iterations", type=int, default=1000, help="of the memory measurement")
    options = parser.parse_args()
    parts = {kind: iteration_against_parts(kind) for kind in ("radial", "cartesian")}
    if options.only_parts:
        print(json.dumps(parts, indent=2))
        return
    report = {
        "threads": torch.get_num_threads(),
        "memory_growth_mb": memory_growth(options.iterations),
        "iteration_8_coils_320": parts,
        "iteration_ms_against": growth(),
        "runs_on_the_bundled_scan": runs_against_nlinv(),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
