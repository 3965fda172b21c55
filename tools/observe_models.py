"""What the shipped models show of the things that the paper says about its own; prints a Markdown table.

The image that is asked about is the fully sampled bundled scan, in the units of its measurement, with noise of each
level added. Run it with the package's Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.gui.docks.inspector.curves import conditioning, minima, potentials
from napari_pogmdm.gui.docks.inspector.responses import analyse, diffused
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.configuration import VARIANTS
from napari_pogmdm.prior.model import Prior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import reference_image, undersample

LEVELS = (0.0, 0.025, 0.05, 0.1, 0.2)
GRID = np.linspace(-0.5, 0.5, 1001)
MIDDLE = len(GRID) // 2
Row = tuple[str, str]


def observations(prior: Prior, image: np.ndarray) -> list[Row]:
    """Rows of the table for one model."""
    at_zero, at_last = potentials(prior, GRID, 0.0), potentials(prior, GRID, LEVELS[-1])
    dips = [minima(curve) for curve in at_zero]
    reach = np.quantile(np.abs(analyse(prior, image, 0.0).responses.reshape(len(dips), -1)), 0.999, axis=1)
    near = [[dip for dip in found if abs(GRID[dip]) <= limit] for found, limit in zip(dips, reach, strict=True)]
    hills = [
        bool(found) and curve[MIDDLE] > min(curve[dip] for dip in found) + 0.1
        for curve, found in zip(at_zero, dips, strict=True)
    ]
    first, last = conditioning(prior, np.array([0.0, LEVELS[-1]])).T
    off = [analyse(prior, diffused(image, level), level).off for level in LEVELS]
    return [
        ("potentials with several minima at σ = 0", _numbers([len(found) > 1 for found in dips])),
        ("... within the responses that occur", _numbers([len(found) > 1 for found in near])),
        ("potentials with a hill at zero, at least 0.1 nats above their lowest minimum", _numbers(hills)),
        ("σ_k²(0) / σ_0², least and most", _span(first / prior.configuration.sigma_0**2)),
        ("growth σ_k²(t) / σ_k²(0) up to σ = 0.2, slowest and fastest", _span(last / first)),
        ("nats that a potential spans on [-0.5, 0.5] at σ = 0, least and most", _span(np.ptp(at_zero, axis=1))),
        ("... and at σ = 0.2", _span(np.ptp(at_last, axis=1))),
        *[(f"switched off at σ = {level:g}", _numbers(row)) for level, row in zip(LEVELS, off, strict=True)],
    ]


def _numbers(chosen: Sequence[bool] | np.ndarray) -> str:
    """Give filters by their numbers, or only how many if there are many."""
    found = [str(k + 1) for k in np.flatnonzero(chosen)]
    if len(found) > 6:
        return f"{len(found)} of {len(chosen)}"
    return ", ".join(found) or "none"


def _span(values: np.ndarray) -> str:
    return f"{values.min():.3g} to {values.max():.3g}"


def demo_image() -> np.ndarray:
    """Give the fully sampled bundled scan as the sampler sees it, divided by the maximum of the zero-filled one."""
    scan = open_scan("demo")[0]
    reference = reference_image(scan)
    assert reference is not None
    return (reference / undersample(scan, make_mask("cartesian", scan.shape), coils=8).scale).astype(np.float32)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=list(VARIANTS))
    models = parser.parse_args().models
    image = demo_image()
    columns = [observations(load_prior(name), image) for name in models]
    print("| | " + " | ".join(models) + " |\n|---|" + "---|" * len(models))  # noqa: T201
    for row in zip(*columns, strict=True):
        print("| " + row[0][0] + " | " + " | ".join(text for _, text in row) + " |")  # noqa: T201


if __name__ == "__main__":
    main()
