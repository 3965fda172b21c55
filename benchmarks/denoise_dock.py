"""What a move of the Denoise dock's slider costs: noise, score, estimate and PSNR of a 320 x 320 image.

Prints JSON. Every repeat is at a new noise level, as when the slider is dragged; the promise is less than 100 ms.
"""

from __future__ import annotations

import json
import platform

import numpy as np
import torch
from timing import best

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.gui.docks.denoise.denoising import clean_image, denoise_noisy_copy
from napari_pogmdm.prior.weights import list_models, load_prior

SIDE = 320
PROMISE_MS = 100.0


def slider_ms(name: str) -> float:
    prior = load_prior(name)
    clean = clean_image("phantom", np.abs(shepp_logan((SIDE, SIDE))))
    levels = iter(0.05 + 1e-3 * step for step in range(1000))
    return best(lambda: denoise_noisy_copy(clean, prior, next(levels), seed=0))


def main() -> None:
    times = {entry.name: round(slider_ms(entry.name), 1) for entry in list_models()}
    figures = {
        "image": [SIDE, SIDE],
        "threads": torch.get_num_threads(),
        "machine": platform.machine(),
        "slider_ms": times,
        "promise_ms": PROMISE_MS,
        "kept": max(times.values()) < PROMISE_MS,
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
