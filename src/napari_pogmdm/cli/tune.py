"""``napari-pogmdm tune``: choose settings on validation scans."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options import Device, output_path
from napari_pogmdm.errors import InputError


def tune(
    files: Annotated[list[str], typer.Argument(help="Validation scans; their middle slices are used.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file for the settings that were found.")],
    vary: Annotated[
        list[str], typer.Option(help="A setting and its candidates, such as coil_smoothing=0.3,1,3; in this order.")
    ],
    masks: Annotated[str, typer.Option(help="Mask codes, separated by commas.")] = "C4/8,C4/4,R11,G8",
    model: Annotated[str, typer.Option(help="Prior: a name from 'models', or a weight file.")] = "flf-tc",
    preset: Annotated[str, typer.Option(help="Settings to start from: paper, default or fast.")] = "default",
    coils: Annotated[int, typer.Option(help="Virtual coils; 0 keeps all.")] = 8,
    device: Device = "auto",
) -> None:
    """Try candidates for one setting after the other and keep the best by mean PSNR over all scans and masks."""
    from napari_pogmdm.data.sources import open_scan
    from napari_pogmdm.data.writer import atomic_path
    from napari_pogmdm.prior.weights import load_prior
    from napari_pogmdm.recon.device import choose_device
    from napari_pogmdm.recon.mask_codes import mask_from_code
    from napari_pogmdm.recon.measurement import reference_image, undersample
    from napari_pogmdm.recon.presets import preset as preset_named
    from napari_pogmdm.recon.tuning import Case, Trial
    from napari_pogmdm.recon.tuning import tune as search

    output_path(output, "--output")
    candidates = dict(_parse(text) for text in vary)
    if "demo" in files:
        raise InputError("tune: settings are never chosen on the bundled scan, on which they are shown; give others.")
    chosen = choose_device(device)
    cases = []
    for file in files:
        scan = open_scan(file)
        acquisition = scan[len(scan) // 2]
        reference = reference_image(acquisition)
        if reference is None:
            raise InputError(f"{scan.name}: has no full scan to compare with, so nothing can be chosen on it.")
        for code in masks.split(","):
            mask = mask_from_code(code, acquisition.shape)
            measurement = undersample(acquisition, mask, coils=coils or None, device=chosen.name)
            cases.append(Case(f"{scan.name} {code}", measurement, reference))

    def tell(trial: Trial) -> None:
        each = " ".join(f"{value:.2f}" for value in trial.psnr)
        typer.echo(f"{trial.setting}={trial.value:g}: mean {trial.mean:.3f} dB ({each})")

    typer.echo("cases: " + ", ".join(case.name for case in cases))
    best, _ = search(cases, load_prior(model), preset_named(preset), candidates, tell)
    with atomic_path(output) as temporary:
        temporary.write_text(best.to_json() + "\n")
    typer.echo(f"{output}: use it with reconstruct --settings {output}")


def _parse(text: str) -> tuple[str, list[float]]:
    name, _, values = text.partition("=")
    try:
        candidates = [float(value) for value in values.split(",")]
        if not all(math.isfinite(value) for value in candidates):
            raise ValueError
    except ValueError:
        raise InputError(
            f"--vary: cannot read {text!r}; write a setting and its candidates, such as a=1,2,3."
        ) from None
    return name.strip(), candidates
