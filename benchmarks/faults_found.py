"""Whether scans that do not fit the model are reported, and others are not: one line of JSON for each scan and fault.

    python benchmarks/faults_found.py [--masks C4/8] [--only demo,demo-96] [SCAN.h5 ...]

Faults are made of complete scans: the bundled one as it is and cut to 96 x 96 in k-space, simulated ones, or those that
are named. The last line counts. A scan that the program refuses, with a sentence that says why, counts as found.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from choices import SIMULATED, scan_of, simulated, small
from numpy.typing import NDArray
from scipy.ndimage import rotate

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.fourier import to_image, to_kspace
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.sampler.choices.choose import choose
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.virtual_coils import AUTO_COILS

NONE = "none"
Samples = NDArray[np.complexfloating]


def changed(kspace: Samples, degrees: float = 0.0, pixels: int = 0) -> Samples:
    """Turn the object, or move it along rows."""
    images = np.roll(to_image(torch.from_numpy(kspace)).numpy(), pixels, axis=1)
    if degrees:
        parts = (rotate(part, degrees, axes=(1, 2), reshape=False, order=1) for part in (images.real, images.imag))
        images = next(parts) + 1j * next(parts)
    return to_kspace(torch.from_numpy(np.ascontiguousarray(images, dtype=np.complex64))).numpy()


def faults(kspace: Samples) -> Iterator[tuple[str, Samples]]:
    lines = kspace.shape[2]
    odd, late = np.arange(lines) % 2 == 1, np.random.default_rng(0).random(lines) < 0.5
    yield NONE, kspace
    for angle in (1, 2):
        yield f"two shots, {angle} rad apart", np.where(odd, kspace * np.exp(1j * angle), kspace)
    yield "a phase for every line", kspace * np.exp(1j * np.random.default_rng(1).normal(0, 1, lines))
    for pixels in (2, 6):
        yield f"half of the lines moved by {pixels} pixels", np.where(late, changed(kspace, pixels=pixels), kspace)
    yield "half of the lines turned by 5 degrees", np.where(late, changed(kspace, degrees=5), kspace)
    yield "centre of k-space in the corner", np.fft.ifftshift(kspace, axes=(1, 2))
    yield "rows transformed already", np.fft.fftshift(np.fft.ifft(kspace, axis=1, norm="ortho"), axes=1)
    yield "lines in another order", kspace[:, :, np.random.default_rng(2).permutation(lines)]
    yield "coil and row axis swapped", kspace.transpose(1, 0, 2)


def scans(files: list[str]) -> Iterator[Acquisition]:
    for file in files:
        scan = open_scan(file)
        one = replace(scan[len(scan) // 2], source=Path(file).stem)
        yield from (one, small(one))
    if files:
        return
    demo = replace(open_scan("demo")[0], source="demo")
    yield from (demo, small(demo))
    yield from (simulated(*facts) for facts in SIMULATED)


def row(scan: Acquisition, kspace: Samples, fault: str, code: str) -> dict[str, object]:
    facts: dict[str, object] = {"case": scan.source, "mask": code, "fault": fault}
    broken = scan_of(np.ascontiguousarray(kspace), scan.source)
    measurement = undersample(broken, MaskRecipe.from_code(code).make_for(broken.shape), coils=AUTO_COILS)
    try:
        chosen = choose(measurement, load_prior("flf-tc"), preset("default"))
    except InputError as error:
        return facts | {"found": True, "refused": str(error)}
    told = chosen.to_dict()
    evidence = {name: told[name] for name in ("misfit", "unexplained", "colour", "shot_phase", "map_sets")}
    return facts | {"found": not chosen.consistent, **evidence}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--masks", default="C4/8")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    only, counts = [name for name in arguments.only.split(",") if name], Counter[str]()
    for scan in scans(arguments.files):
        if only and scan.source not in only:
            continue
        for code in arguments.masks.split(","):
            for fault, kspace in faults(scan.kspace):
                found = row(scan, kspace, fault, code)
                kind = "clean" if fault == NONE else "faults"
                counts.update({kind: 1, f"{kind}_reported": int(bool(found["found"]))})
                print(json.dumps(found), flush=True)
    print(json.dumps(dict(counts)), flush=True)


if __name__ == "__main__":
    main()
