"""How fast this computer is, on a simulated scan of the paper's size, once everything is compiled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.configuration import Variant
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.recon.measurement import Measurement, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.presets import Preset, preset
from napari_pogmdm.recon.sampler.settings import Choosing

PAPER_SECONDS = 2.0
"""What the paper reports for its 200 iterations at 15 coils, on a graphics card."""

_SIZE = 320  # rows and columns of the paper's knees
_SEED = 0  # of the chain; any other takes as long
_PATIENCE = 1.0  # seconds; code that was kept is there sooner, and nobody needs to be told
_SMALL = (32, 32)  # rows and columns of a phantom; compiled code is the same for all sizes
_ITERATIONS = 5  # with image steps and joint steps among them


@dataclass(frozen=True)
class Speed:
    """How fast a preset runs.

    Attributes
    ----------
    preset
        Its name.
    model
        Of the prior.
    iterations
        Of a whole run.
    milliseconds
        Of one iteration: the median.
    seconds
        Of one reconstruction: the start, and all iterations at that pace.
    """

    preset: str
    model: str
    iterations: int
    milliseconds: float
    seconds: float


def bench_scan(coils: int, device: str, size: int = _SIZE) -> Measurement:
    """Simulate the scan: Cartesian, four times undersampled.

    Parameters
    ----------
    coils
        How many; all are kept.
    device
        Where to compute.
    size
        Rows and columns.
    """
    scan = simulate_scan(shepp_logan((size, size)), coils=coils, noise=0.005)
    return undersample(scan, make_mask("cartesian", (size, size), 4), device=device)


def time_presets(measurement: Measurement, iterations: int) -> Iterator[Speed]:
    """Time iterations of Algorithm 1 as in the paper, and of the default and the fast preset; one run has shearlets.

    Parameters
    ----------
    measurement
        What `bench_scan` gave.
    iterations
        To time of each, after two that do not count.
    """
    for name, model in (
        (Preset.PAPER, Variant.FLF_TC),
        (Preset.DEFAULT, DEFAULT_MODEL),
        (Preset.FAST, DEFAULT_MODEL),
        (Preset.DEFAULT, Variant.SH_2),
    ):
        settings = replace(preset(name), choose=Choosing.NONE)
        begun = _now(measurement)
        sampler = make_sampler(measurement, load_prior(model), settings, (_SEED,))
        state = sampler.start()
        beginning = _now(measurement) - begun
        times = []
        for counted in range(-2, iterations):
            if state.iteration == sampler.steps:
                state = sampler.start()
            begun = _now(measurement)
            state = sampler.step(state)
            if counted >= 0:
                times.append(_now(measurement) - begun)
        middle = sorted(times)[len(times) // 2]
        yield Speed(str(name), str(model), sampler.steps, 1e3 * middle, beginning + sampler.steps * middle)


def compile_ahead(tell: Callable[[str], None]) -> None:
    """Run every compiled loop of a reconstruction once, so that none is compiled inside a time that is printed.

    Parameters
    ----------
    tell
        Called with a line that says so where it takes a while.
    """
    line = "Compiling for this computer, which takes some seconds the first time ..."
    notice = threading.Timer(_PATIENCE, tell, (line,))
    notice.daemon = True
    notice.start()
    try:
        measurement = undersample(simulate_scan(shepp_logan(_SMALL), coils=2), make_mask("cartesian", _SMALL, 2, 0.3))
        for model in ("flf-tc", "sh-1"):
            reconstruct(measurement, model=model, choose="none", coil_start="low-pass", stop_after=_ITERATIONS)
    finally:
        notice.cancel()


def _now(measurement: Measurement) -> float:
    """Read the clock once the device has done all that was asked of it."""
    if measurement.kspace.device.type == "cuda":
        torch.cuda.synchronize(measurement.kspace.device)
    elif measurement.kspace.device.type == "mps":
        torch.mps.synchronize()
    return time.perf_counter()
