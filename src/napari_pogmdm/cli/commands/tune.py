"""``napari-pogmdm tune``: choose settings on validation scans."""

from __future__ import annotations

import hashlib
import math
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from napari_pogmdm import __version__
from napari_pogmdm.cli.options import Device, output_path
from napari_pogmdm.errors import InputError

if TYPE_CHECKING:
    from napari_pogmdm.evaluation.tuning import Interval


def tune(
    files: Annotated[list[str], typer.Argument(help="Validation scans; their middle slices are used.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file for the settings that were found.")],
    vary: Annotated[
        list[str],
        typer.Option(
            help="A setting with its candidates, such as coil_smoothing=0.3,1,3, or with an interval to search by "
            "golden section, such as prior_weight=0.1..2; in this order."
        ),
    ],
    masks: Annotated[str, typer.Option(help="Mask codes, separated by commas.")] = "C4/8,C4/4,R11,G8",
    model: Annotated[str, typer.Option(help="Prior: a name from 'models', or a weight file.")] = "flf-tc",
    preset: Annotated[str, typer.Option(help="Settings to start from: paper, default or fast.")] = "default",
    evaluations: Annotated[int, typer.Option(help="Values to try in an interval.")] = 8,
    coils: Annotated[int, typer.Option(help="Virtual coils; 0 keeps all.")] = 8,
    device: Device = "auto",
) -> None:
    """Try candidates for one setting after the other and keep the best by mean PSNR over all scans and masks."""
    from napari_pogmdm.data.sources import open_scan
    from napari_pogmdm.evaluation.tuning import Trial, TuningCase
    from napari_pogmdm.evaluation.tuning import tune as search
    from napari_pogmdm.files import atomic_path
    from napari_pogmdm.prior.weights import load_prior
    from napari_pogmdm.recon.mask_recipe import MaskRecipe
    from napari_pogmdm.recon.measurement import reference_image, undersample
    from napari_pogmdm.recon.sampler.ensemble import parameter_hash
    from napari_pogmdm.recon.sampler.preset_file import PresetFile
    from napari_pogmdm.recon.sampler.presets import preset as preset_named
    from napari_pogmdm.runtime.device import choose_device

    output_path(output, "--output")
    candidates = dict(_parse(text, evaluations) for text in vary)
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
            mask = MaskRecipe.from_code(code).make_for(acquisition.shape)
            measurement = undersample(acquisition, mask, coils=coils or None, device=chosen.name)
            cases.append(TuningCase(f"{scan.name} {code}", measurement, reference))

    def tell(trial: Trial) -> None:
        each = " ".join(f"{value:.2f}" for value in trial.psnr)
        typer.echo(f"{trial.setting}={trial.value:g}: mean {trial.mean:.3f} dB ({each})")

    typer.echo("cases: " + ", ".join(case.name for case in cases))
    prior = load_prior(model)
    best, trials = search(cases, prior, preset_named(preset), candidates, tell)
    story = {
        "command": shlex.join(["napari-pogmdm", *sys.argv[1:]]),
        "version": __version__,
        "model": model,
        "model_sha256": parameter_hash(prior),
        "scans_sha256": {Path(file).name: _hash(file) for file in files},
        "cases": [case.name for case in cases],
        "trials": [asdict(trial) for trial in trials],
    }
    with atomic_path(output) as temporary:
        temporary.write_text(PresetFile(best, story).to_json() + "\n")
    typer.echo(f"{output}: use it with reconstruct --settings {output}")


def _hash(file: str) -> str:
    """Name a scan by its bytes; bundled ones by their name."""
    path = Path(file)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else file


def _parse(text: str, evaluations: int) -> tuple[str, list[float] | Interval]:
    from napari_pogmdm.evaluation.tuning import Interval

    name, _, values = text.partition("=")
    low, dots, high = values.partition("..")
    try:
        if dots:
            return name.strip(), Interval(float(low), float(high), evaluations)
        candidates = [float(value) for value in values.split(",")]
        if not all(math.isfinite(value) for value in candidates):
            raise ValueError
    except InputError:
        raise
    except ValueError:
        raise InputError(
            f"--vary: cannot read {text!r}; write a setting and its candidates, such as a=1,2,3 or a=1..10."
        ) from None
    return name.strip(), candidates
