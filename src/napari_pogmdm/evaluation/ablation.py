"""The paper's ablation tables on your own scans and images, beside the printed numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import torch

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.evaluation.tuning import TuningCase
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampler.state import Diverged
from napari_pogmdm.training.validation import noisy_copy, psnr

MASKS = ("C4/8", "C4/8r", "C4/4", "R11", "G8")
SIGMAS = ("0.025", "0.05", "0.1", "0.2")


@dataclass(frozen=True)
class PrintedTable:
    """A table of the paper, mean PSNR in dB on fastMRI's knees with proton density.

    Attributes
    ----------
    title
        What is compared.
    columns
        Masks, or noise levels.
    rows
        By model, the printed numbers in the order of the columns.
    """

    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float, ...]]


TABLES: Mapping[str, PrintedTable] = MappingProxyType(
    {
        "scales": PrintedTable(
            "Scales of the shearlets",
            MASKS,
            {
                "sh-1": (33.65, 34.82, 33.52, 32.79, 33.44),
                "sh-2": (34.06, 35.27, 33.92, 33.68, 34.47),
                "sh-3": (34.04, 35.30, 33.92, 33.74, 34.53),
                "sh-4": (33.95, 35.15, 33.97, 33.55, 34.33),
            },
        ),
        "sharing": PrintedTable(
            "Which shearlets share a potential",
            MASKS,
            {
                "sh-2": (34.06, 35.27, 33.92, 33.68, 34.47),
                "sh-2-within": (34.05, 35.25, 33.93, 33.67, 34.46),
                # the paper prints 35.59 in the last place, beside NMSE and SSIM of its neighbour: a slip of a digit
                "sh-2-across": (34.04, 35.32, 33.84, 33.73, 34.59),
                "sh-2-shared": (34.05, 35.32, 33.83, 33.74, 34.59),
            },
        ),
        "time": PrintedTable(
            "Time conditioning",
            MASKS,
            {"flf-tc": (34.69, 36.11, 34.51, 34.24, 35.08), "flf-softplus": (34.35, 35.41, 34.42, 34.02, 34.97)},
        ),
        "denoising": PrintedTable(
            "One-step denoising",
            SIGMAS,
            {
                "sh-1": (35.82, 32.62, 29.98, 27.31),
                "sh-2": (36.06, 32.91, 30.24, 27.66),
                "flf": (36.69, 33.83, 31.03, 27.99),
                "flf-tc": (36.97, 33.96, 31.24, 28.21),
            },
        ),
    }
)

Row = list[float | None]
"""Mean PSNR in dB in the order of the columns; None where nothing was measured."""

Measured = dict[str, dict[str, list[Row]]]
"""By table and model, a row for each of its trainings."""


def reconstruction_row(prior: ScorePrior, cases: Mapping[str, Sequence[TuningCase]], settings: SamplerSettings) -> Row:
    """Mean PSNR of a prior for each mask.

    Parameters
    ----------
    prior
        To sample with.
    cases
        By mask; those without any are left empty.
    settings
        Of the sampler.
    """
    means: Row = []
    for mask in MASKS:
        try:
            found = [
                metrics(case.reference, reconstruct(case.measurement, model=prior, preset=settings).image).psnr
                for case in cases.get(mask, ())
            ]
        except Diverged:
            found = []
        means.append(float(np.mean(found)) if found else None)
    return means


def denoising_row(prior: ScorePrior, images: Sequence[FloatImage]) -> Row:
    """Mean PSNR of a prior's one-step estimate for each noise level."""
    means: Row = []
    for text in SIGMAS:
        sigma = float(text)
        found = [
            psnr(image, prior.denoise(torch.from_numpy(noisy_copy(image, sigma, number)), sigma).numpy())
            for number, image in enumerate(images)
        ]
        means.append(float(np.mean(found)) if found else None)
    return means


def measure_tables(
    tables: Sequence[str],
    load: Callable[[str], Sequence[ScorePrior]],
    cases: Mapping[str, Sequence[TuningCase]],
    images: Sequence[FloatImage],
    settings: SamplerSettings,
    told: Callable[[str], None],
) -> Measured:
    """Fill tables with what is measured; every model is run once.

    Parameters
    ----------
    tables
        Names in `TABLES`.
    load
        Gives a model by name, once for each of its trainings.
    cases
        Scans by mask.
    images
        To denoise.
    settings
        Of the sampler.
    told
        Told of every model before it is run.
    """
    known: dict[tuple[str, tuple[str, ...]], list[Row]] = {}
    measured: Measured = {}
    for table in tables:
        printed = TABLES[table]
        for name in printed.rows:
            key = (name, printed.columns)
            if key not in known:
                priors = load(name)
                told(f"{printed.title}: {name}" + ("" if priors else " has no weights"))
                if printed.columns is SIGMAS:
                    known[key] = [denoising_row(prior, images) for prior in priors]
                else:
                    known[key] = [reconstruction_row(prior, cases, settings) for prior in priors]
            measured.setdefault(table, {})[name] = known[key]
    return measured


def _cell(values: Sequence[float | None]) -> str:
    """Mean over trainings, and how far the farthest of them is from it."""
    found = [value for value in values if value is not None]
    if not found:
        return "-"
    mean = float(np.mean(found))
    spread = f" ± {max(abs(value - mean) for value in found):.2f}" if len(found) > 1 else ""
    return f"{mean:.2f}{spread}"


def as_markdown(measured: Measured) -> str:
    """Write tables with our number, and the printed one in brackets; of several trainings the mean ± the farthest."""
    parts = []
    for table, rows in measured.items():
        printed = TABLES[table]
        lines = [
            f"## {printed.title}, PSNR in dB: here (printed)",
            "",
            "| model | " + " | ".join(printed.columns) + " |",
            "|---" * (len(printed.columns) + 1) + "|",
        ]
        for name, trainings in rows.items():
            columns = [[row[number] for row in trainings] for number in range(len(printed.columns))]
            pairs = zip(columns, printed.rows[name], strict=True)
            cells = [f"{_cell(values)} ({number:.2f})" for values, number in pairs]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
