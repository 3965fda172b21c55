"""``napari-pogmdm tune``: choose settings on validation scans."""

from __future__ import annotations

import math
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from napari_pogmdm import __version__
from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.pool import PoolOptions
from napari_pogmdm.cli.options.shared import CoilsOption, DeviceOption, MaskCodesOption, ModelOption, PresetOption
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.data.bundled import BundledScan
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.defaults import DEFAULT_COILS, DEFAULT_MODEL, DEFAULT_PRESET
from napari_pogmdm.runtime.device import Device

if TYPE_CHECKING:
    from napari_pogmdm.evaluation.tuning import Interval, Trial

_MASKS = "C4/8,C4/4,R11,G8"  # the columns of the paper's tables, but for the rotated one


@grouped
def tune(
    files: Annotated[list[str], typer.Argument(help="Validation scans; their middle slices are used.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file for the settings that were found.")],
    vary: Annotated[
        list[str],
        typer.Option(
            help="A setting with its candidates, such as coil_smoothing=0.3,1,3, or with an interval to search by "
            "golden section, such as prior_weight=0.1..2; in this order."
        ),
    ],
    masks: MaskCodesOption = _MASKS,
    model: ModelOption = DEFAULT_MODEL.value,
    preset: PresetOption = DEFAULT_PRESET,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Change one setting before the search; can be repeated.")
    ] = None,
    evaluations: Annotated[int, typer.Option(help="Values to try in an interval.")] = 8,
    coils: CoilsOption = DEFAULT_COILS,
    device: DeviceOption = Device.AUTO,
    places: PoolOptions,
) -> None:
    """Try candidates for one setting after another, and keep the best by mean PSNR over all scans and masks."""
    from napari_pogmdm.cli.validation_cases import file_hash, validation_cases
    from napari_pogmdm.evaluation.tuning import tune as search
    from napari_pogmdm.files import write_file
    from napari_pogmdm.prior.weights import load_prior, parameter_hash
    from napari_pogmdm.recon.sampler.preset_file import PresetFile
    from napari_pogmdm.recon.sampler.presets import PRESETS
    from napari_pogmdm.runtime.device import choose_device
    from napari_pogmdm.setting_text import with_values

    check_outputs({"--output": output}, (*files, model))
    candidates = dict(_parse(text, evaluations) for text in vary)
    if BundledScan.DEMO in files:
        raise InputError("tune: the bundled scan is kept for showing results; give other scans to tune on.")
    cases = validation_cases(files, masks.split(","), coils, choose_device(places.device(device)).name)
    typer.echo("cases: " + ", ".join(case.name for case in cases))
    prior = load_prior(model)
    usual = with_values(PRESETS[preset], set_ or ())
    with places.open() as pool:
        best, trials = search(cases, prior, usual, candidates, _tell, pool)
    story = {
        "command": shlex.join(["napari-pogmdm", *sys.argv[1:]]),
        "version": __version__,
        "model": model,
        "model_sha256": parameter_hash(prior),
        "scans_sha256": {Path(file).name: file_hash(file) for file in files},
        "cases": [case.name for case in cases],
        "trials": [asdict(trial) for trial in trials],
    }
    write_file(output, PresetFile(best, story).to_json() + "\n")
    typer.echo(f"{output}: use it with reconstruct --settings {output}")


def _tell(trial: Trial) -> None:
    each = " ".join(f"{value:.2f}" for value in trial.psnr)
    typer.echo(f"{trial.setting}={trial.value:g}: mean {trial.mean:.3f} dB ({each})")


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
