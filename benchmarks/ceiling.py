"""Where the decibels go: what better coils or a better denoiser could still gain; one line of JSON a case.

    python benchmarks/ceiling.py [--masks C4/8,G8] [--preset default] [--denoisers bm3d,FILE] [SCAN.h5 ...]

Of each scan and mask, PSNR in dB of

- ``automatic``: the preset as it comes;
- ``own_coils``: one set of maps and all coils, nothing chosen, which the next rows change in one thing at a time;
- ``true_coils``: coils of the complete scan, kept;
- each further denoiser in the place of the prior: BM3D (``pip install bm3d``), or the weights of a network;
- ``noise_limit``: what a perfect image has, as the reference carries the noise of samples that were not measured.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.data.acquisition import Acquisition
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.physics.masks.mask import Mask
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.coils.given import CoilMaps
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.noise_floor import residual_noise
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import Choosing, SamplerSettings
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.virtual_coils import AUTO_COILS

MASKS = ("C4/8", "C4/8r", "C4/4", "R11", "G8")
BM3D = "bm3d"


class Bm3dPrior:
    """BM3D, as far as a sampler asks: real and imaginary parts denoised apart, as our priors do."""

    name = BM3D
    parameter_count = 0

    def __init__(self) -> None:
        self.information: dict[str, Any] = {}
        self.parameters: dict[str, Tensor] = {}
        self.configuration = load_prior("flf-tc").configuration

    def denoise(self, x: Tensor, sigma: float) -> Tensor:
        import bm3d

        def clean(part: Tensor) -> Tensor:
            planes = part.reshape(-1, *part.shape[-2:]).double().numpy()
            return torch.from_numpy(np.stack([bm3d.bm3d(plane, sigma) for plane in planes])).float().view_as(part)

        return torch.complex(clean(x.real), clean(x.imag)) if x.is_complex() else clean(x)

    def score(self, x: Tensor, sigma: float) -> Tensor:
        return (self.denoise(x, sigma) - x) / sigma**2


def noise_limit(scan: Acquisition, mask: Mask) -> float:
    """PSNR of an image whose only error is the noise that the reference has of samples that were not measured."""
    images = to_image(torch.from_numpy(scan.kspace))
    noise = float(residual_noise(images[None], root_sum_of_squares(images)[None], 1.0))
    reference = reference_image(scan)
    assert reference is not None
    unknown = 1.0 - float(mask.samples.mean())
    return 20 * math.log10(float(reference.max()) / (noise * math.sqrt(unknown)))


def row(scan: Acquisition, code: str, denoisers: Sequence[ScorePrior], settings: SamplerSettings) -> dict[str, object]:
    """Reconstruct one case in every way."""
    mask, reference = MaskRecipe.from_code(code).make_for(scan.shape), reference_image(scan)
    assert reference is not None
    measurement = undersample(scan, mask, coils=None)
    complete = undersample(scan, Mask(np.ones_like(mask.samples)), coils=None)
    plain = replace(settings, map_sets=1, choose=Choosing.NONE)
    usual: dict[str, Any] = {"model": "flf-tc", "preset": plain}
    true = reconstruct(complete, **usual).coils
    assert true is not None
    maps = CoilMaps(np.asarray(true, dtype=np.complex64), "complete scan")

    def quality(**how: Any) -> float:
        return metrics(reference, reconstruct(measurement, **(usual | how)).image).psnr

    automatic = reconstruct(undersample(scan, mask, coils=AUTO_COILS), model="flf-tc", preset=settings).image
    found: dict[str, object] = {
        "case": scan.source,
        "mask": code,
        "automatic": metrics(reference, automatic).psnr,
        "own_coils": quality(),
        "true_coils": quality(maps=maps, update_coils=False),
        "noise_limit": noise_limit(scan, mask),
    }
    for prior in denoisers:
        found[prior.name] = quality(model=prior)
        found[f"{prior.name}, true_coils"] = quality(model=prior, maps=maps, update_coils=False)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=["demo"])
    parser.add_argument("--masks", default=",".join(MASKS))
    parser.add_argument("--preset", default="default")
    parser.add_argument("--denoisers", default="")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    names = [name for name in arguments.denoisers.split(",") if name]
    denoisers = [Bm3dPrior() if name == BM3D else load_prior(name) for name in names]
    for file in arguments.files:
        scan = open_scan(file)
        slice_ = replace(scan[len(scan) // 2], source=Path(file).stem)
        for code in arguments.masks.split(","):
            print(json.dumps(row(slice_, code, denoisers, preset(arguments.preset))), flush=True)


if __name__ == "__main__":
    main()
