"""``napari-pogmdm ablation``: the paper's ablation tables on your own data, beside the printed numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.shared import CoilsOption, DeviceOption, PresetOption
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.defaults import DEFAULT_COILS
from napari_pogmdm.recon.sampler.presets import Preset
from napari_pogmdm.runtime.device import Device

_FURTHER = tuple(f"-{number}" for number in range(2, 10))  # trainings of the same model
_SLICES = 4  # of each volume: enough for a mean, and a minute for all


def ablation(
    scans: Annotated[
        list[str] | None, typer.Argument(metavar="[SCAN]...", help="Fully sampled scans to reconstruct.")
    ] = None,
    *,
    data: Annotated[
        Path | None, typer.Option(help="Folder of volumes whose test slices are denoised, as train takes it.")
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(
            help="Folder of NAME.safetensors files, which replace shipped models or add to them; NAME-2.safetensors "
            "and so on are further trainings, over which means are taken."
        ),
    ] = None,
    masks: Annotated[str, typer.Option(help="Masks of the tables, separated by commas.")] = "C4/8,C4/8r,C4/4,R11,G8",
    preset: PresetOption = Preset.FAST,
    coils: CoilsOption = DEFAULT_COILS,
    device: DeviceOption = Device.AUTO,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="JSON with all numbers.")] = None,
) -> None:
    """Fill the paper's ablation tables with the weights at hand, beside the printed numbers."""
    import json

    from napari_pogmdm.cli.validation_cases import validation_cases
    from napari_pogmdm.evaluation.ablation import MASKS, TABLES, as_markdown, measure_tables
    from napari_pogmdm.files import write_file
    from napari_pogmdm.prior.configuration import MODEL_NAMES
    from napari_pogmdm.prior.protocol import ScorePrior
    from napari_pogmdm.prior.weights import load_prior
    from napari_pogmdm.recon.sampler.presets import PRESETS
    from napari_pogmdm.runtime.device import choose_device
    from napari_pogmdm.training.validation import evenly
    from napari_pogmdm.training.volumes.slices import load_slices

    if not scans and data is None:
        raise InputError("ablation: give scans to reconstruct, or --data with volumes to denoise, or both.")
    codes = masks.split(",")
    unknown = [code for code in codes if code not in MASKS]
    if unknown:
        raise InputError(f"masks: the paper's tables have no {unknown[0]}; choose from {', '.join(MASKS)}.")
    if output is not None:
        check_outputs({"--output": output}, tuple(scans or ()))
    place = choose_device(device).name
    cases = {code: validation_cases(scans or (), [code], coils, place) for code in codes}
    images = [image for volume in load_slices(data) for image in evenly(volume.test, _SLICES)] if data else []
    tables = [name for name, table in TABLES.items() if (scans if table.columns is MASKS else images)]

    def load(name: str) -> list[ScorePrior]:
        files = [] if weights is None else [weights / f"{name}{end}.safetensors" for end in ("", *_FURTHER)]
        own: list[ScorePrior] = [load_prior(file) for file in files if file.exists()]
        return own or ([load_prior(name)] if name in MODEL_NAMES else [])

    told = lambda text: typer.echo(text, err=True)  # noqa: E731 - one line, used once
    measured = measure_tables(tables, load, cases, images, PRESETS[preset], told)
    typer.echo(as_markdown(measured))
    if output is not None:
        write_file(output, json.dumps(measured, indent=1) + "\n")
