"""The tabulated score against the exact one and against its bare convolutions, and its growth with pixels and filters.

Prints JSON. Ratios are taken within one run and on the same threads, each time being the best of several.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable

import torch
from timing import best
from torch.nn.functional import conv2d, pad

from napari_pogmdm.prior.configuration import VARIANTS, PriorConfiguration
from napari_pogmdm.prior.initial import initial_parameters
from napari_pogmdm.prior.model import Prior

SIGMA = 0.1


def prior_of(configuration: PriorConfiguration) -> Prior:
    return Prior(configuration, initial_parameters(configuration, 0), "benchmark")


def complex_image(height: int, width: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.complex(*torch.rand(2, height, width, generator=generator))


def bare_convolutions(image: torch.Tensor, filters: torch.Tensor) -> Callable[[], object]:
    """The two convolutions inside the score, 20 filters out and 20 filters back, with nothing between them."""
    planes = torch.stack([image.real, image.imag]).unsqueeze(1)
    half = filters.shape[-1] // 2
    padded = pad(planes, (half,) * 4, mode="circular").contiguous()
    there = filters.float().unsqueeze(1).contiguous()
    back = there.flip(-2, -1).transpose(0, 1).contiguous()

    def both() -> torch.Tensor:
        return conv2d(conv2d(padded, there), back, padding=half)

    return both


def headline(exact: bool) -> dict[str, float]:
    """One score of a 320 x 320 complex image with 20 filters of 5 x 5; a new noise level each time."""
    prior = prior_of(VARIANTS["flf"])
    image = complex_image(320, 320)
    levels = iter(0.05 + 1e-4 * step for step in range(1000))
    fast = best(lambda: prior.score(image, next(levels)))
    bare = best(bare_convolutions(image, prior.filters))
    figures = {"score_ms": fast, "same_level_ms": best(lambda: prior.score(image, SIGMA)), "bare_convolutions_ms": bare}
    figures["bare_over_score"] = bare / fast
    if exact:
        slow = best(lambda: prior.score(image, SIGMA, exact=True), repeats=1)
        figures |= {"exact_ms": slow, "exact_over_score": slow / fast}
    return figures


def growth() -> dict[str, dict[str, float]]:
    """Nanoseconds per pixel and filter: constant if the cost is linear in both."""
    pixels, filters = {}, {}
    prior = prior_of(VARIANTS["flf"])
    for size in (128, 256, 384, 512, 640):
        image = complex_image(size, size)
        pixels[str(size)] = 1e6 * best(lambda image=image: prior.score(image, SIGMA), 5) / (2 * size * size * 20)
    image = complex_image(256, 256)
    for count in (8, 16, 24, 32, 48):
        many = prior_of(PriorConfiguration(filter_count=count))
        filters[str(count)] = 1e6 * best(lambda many=many: many.score(image, SIGMA), 5) / (2 * 256 * 256 * count)
    return {"by_image_size": pixels, "by_number_of_filters": filters}


def shearlets() -> dict[str, float]:
    """Time of a shearlet score against the real FFTs it contains, one there and back per filter."""
    prior = prior_of(VARIANTS["sh-2"])
    image = complex_image(320, 320)
    planes = torch.stack([image.real, image.imag])

    def transforms() -> None:
        for _ in range(21):
            torch.fft.irfft2(torch.fft.rfft2(planes), s=(320, 320))

    score, bare = best(lambda: prior.score(image, SIGMA), 5), best(transforms, 5)
    return {"score_ms": score, "bare_transforms_ms": bare, "score_over_bare": score / bare}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument(
        "--no-exact", action="store_true", help="leave out the exact score, which takes several seconds"
    )
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    figures = {
        "machine": platform.machine(),
        "torch": str(torch.__version__),
        "threads": options.threads,
        "score_320x320_complex_20_filters": headline(exact=not options.no_exact),
        "nanoseconds_per_pixel_and_filter": growth(),
        "shearlets_320x320_complex_20_filters": shearlets(),
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
