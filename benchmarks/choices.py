"""What scans choose for themselves, against every fixed choice: one line of JSON for each scan and mask.

    python benchmarks/choices.py [--masks C4/8,C4/4] [--lines 5,9] [--only demo,phantom] [--rows ROWS] [SCAN.h5 ...]
    python benchmarks/choices.py --cost --only phantom-15-large --masks C4/8,C4/4        # without fixed choices

Without files, the cases are made of the bundled scan and of phantoms: as they are, with the field of view cut to 5/8 so
that it wraps, cut to 96 x 96 in k-space, with 5 and 9 central lines, with 4 to 32 coils and noise from 0.002 to 0.05.
Lines are added to a file of rows, if one is named; what is there already is not run again. Two map sets are run where a
trial had them, and other starts and smoothings with the number that was chosen. Times are those of the processor, in
seconds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Acquisition, Header
from napari_pogmdm.data.phantom import shepp_logan, smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.physics.fourier import to_image, to_kspace
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.coils.calibration import calibrates
from napari_pogmdm.recon.coils.kinds import CoilStart
from napari_pogmdm.recon.coils.start import chosen_start
from napari_pogmdm.recon.measurement import Measurement, reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.choices.choose import choose
from napari_pogmdm.recon.sampler.choices.rules import Contender, smoothing_for
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import Choosing, SamplerSettings
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.virtual_coils import AUTO_COILS

MASKS = ("C4/8", "C4/8r", "C4/4", "R11", "G8")
KEPT_FIELD = 5 / 8
SIMULATED = (("phantom-4", 192, 4, 0.05), ("phantom-8", 256, 8, 0.01), ("phantom-16", 96, 16, 0.003))
MANY = ("phantom-32", 224, 32, 0.002)
LARGE = ("phantom-15-large", (640, 368), 15, 0.005)


def scan_of(kspace: NDArray[np.complexfloating], name: str) -> Acquisition:
    size = (kspace.shape[1], kspace.shape[2])
    return Acquisition(kspace.astype(np.complex64), name, Header(encoded_matrix=size, recon_matrix=size))


def wrapped(scan: Acquisition, axis: int) -> Acquisition:
    """Cut the field of view: pixels that are the new width apart add up."""
    image = np.moveaxis(to_image(torch.from_numpy(scan.kspace)).numpy(), axis, -1)
    width = 2 * round(image.shape[-1] * KEPT_FIELD / 2)
    folded = np.zeros((*image.shape[:-1], width), dtype=image.dtype)
    places = (np.arange(image.shape[-1]) - image.shape[-1] // 2 + width // 2) % width
    np.add.at(folded, (..., places), image)
    kspace = to_kspace(torch.from_numpy(np.ascontiguousarray(np.moveaxis(folded, -1, axis)))).numpy()
    return scan_of(kspace, f"{scan.source}-wrap{'r' if axis == 1 else ''}")


def small(scan: Acquisition, size: int = 96) -> Acquisition:
    """Keep the middle of k-space: the same field of view in fewer pixels."""
    first = [length // 2 - size // 2 for length in scan.shape]
    kept = scan.kspace[:, first[0] : first[0] + size, first[1] : first[1] + size]
    return scan_of(kept, f"{scan.source}-{size}")


def simulated(name: str, size: int | tuple[int, int], coils: int, noise: float) -> Acquisition:
    shape = (size, size) if isinstance(size, int) else size
    image = shepp_logan(shape) * np.exp(1j * smooth_phase(shape, np.random.default_rng(1)))
    return simulate_scan(image, coils=coils, noise=noise, seed=1, name=name)


def cases(files: list[str]) -> Iterator[Acquisition]:
    for file in files:
        scan = open_scan(file)
        yield replace(scan[len(scan) // 2], source=Path(file).stem)
    if files:
        return
    demo = replace(open_scan("demo")[0], source="demo")
    yield from (demo, wrapped(demo, 2), wrapped(demo, 1), small(demo))
    yield from (simulated(*facts) for facts in (*SIMULATED, MANY))
    yield from (wrapped(simulated(*SIMULATED[1]), 2), simulated(*LARGE), wrapped(simulated(*LARGE), 2))


def with_lines(lines: str, scan: Acquisition) -> Iterator[str]:
    """Codes of masks with so many central lines of this scan."""
    yield from (f"C4/{100 * (int(count) + 0.01) / scan.shape[1]:.3f}" for count in lines.split(",") if count)


def contenders(measurement: Measurement, map_sets: int) -> Iterator[Contender]:
    """Starts and smoothings that a user who knows of them could choose."""
    usual = CoilStart(chosen_start(measurement))
    starts = [CoilStart.NEWTON_9, CoilStart.NEWTON_SMOOTH] if usual == CoilStart.NEWTON else [CoilStart.NEWTON]
    if map_sets == 1:
        yield from (Contender(1, start) for start in (usual, *starts))
        if calibrates(measurement):
            yield Contender(1, CoilStart.CALIBRATED)
    else:
        two = [Contender(map_sets, start) for start in (usual, starts[0])]
        yield from (*two, *(one.smoother for one in two))


def row(scan: Acquisition, code: str, *, cost: bool = False) -> dict[str, object]:
    """Choose, and run what was chosen and every fixed choice; runs that are alike are run once."""
    mask, reference = MaskRecipe.from_code(code).make_for(scan.shape), reference_image(scan)
    assert reference is not None
    prior, usual = load_prior("flf-tc"), replace(preset("default"), map_sets=1, choose=Choosing.NONE)
    measurement, eight = undersample(scan, mask, coils=AUTO_COILS), undersample(scan, mask, coils=8)

    @cache
    def quality(coils: int, settings: SamplerSettings) -> tuple[float, float]:
        data = measurement if coils == measurement.kspace.shape[0] else eight
        begun = time.process_time()
        image = reconstruct(data, model=prior, preset=settings).image
        return metrics(reference, image).psnr, time.process_time() - begun

    def fixed(one: Contender, *, scaled: bool = True) -> float:
        smoothing = smoothing_for(measurement.shape, usual.coil_smoothing) if scaled else usual.coil_smoothing
        settings = replace(usual, map_sets=one.map_sets, coil_start=one.start, coil_smoothing=one.smoothing * smoothing)
        return quality(count, settings)[0]

    begun = time.process_time()
    chosen = choose(measurement, prior, preset("default"))
    choosing = time.process_time() - begun
    count, start = int(measurement.kspace.shape[0]), CoilStart(chosen_start(measurement))
    automatic, run_seconds = quality(count, chosen.apply(preset("default")))
    times = {"seconds_choosing": choosing, "seconds_run": run_seconds}
    sets = (1, 2) if any("2 sets" in name for name in chosen.verdicts) else (1,)
    if cost:
        return {"case": scan.source, "mask": code, "over_default": choosing / run_seconds, **times}
    found = {f"as tuned, {many} sets": fixed(Contender(many, start), scaled=False) for many in sets}
    found |= {one.name: fixed(one) for one in contenders(measurement, chosen.map_sets)}
    return {
        "case": scan.source,
        "mask": code,
        "coils": count,
        "chosen": chosen.to_dict(),
        "psnr_automatic": automatic,
        "psnr_default_of_0_1": quality(int(eight.kspace.shape[0]), replace(usual, coil_start=start))[0],
        "psnr_fixed": found,
        "below_best_fixed": max(found.values()) - automatic,
        **times,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--masks", default=",".join(MASKS))
    parser.add_argument("--lines", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--cost", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    only, rows = [name for name in arguments.only.split(",") if name], arguments.rows
    known = [json.loads(line) for line in rows.read_text().splitlines()] if rows and rows.exists() else []
    there = {(one["case"], one["mask"]) for one in known}
    for scan in cases(arguments.files):
        codes = (*(code for code in arguments.masks.split(",") if code), *with_lines(arguments.lines, scan))
        for code in codes if not only or scan.source in only else ():
            if (scan.source, code) in there:
                continue
            line = json.dumps(row(scan, code, cost=arguments.cost))
            print(line, flush=True)
            if rows:
                with rows.open("a") as file:
                    file.write(line + "\n")


if __name__ == "__main__":
    main()
