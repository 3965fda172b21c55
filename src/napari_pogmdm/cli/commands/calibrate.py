"""``napari-pogmdm calibrate``: what the spread of chains must be multiplied by, fitted on validation scans."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm import __version__
from napari_pogmdm.cli.options.shared import ChainsOption, CoilsOption, DeviceOption, MaskCodesOption, ModelOption
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.data.bundled import BundledScan
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.defaults import DEFAULT_COILS, DEFAULT_MODEL
from napari_pogmdm.recon.sampler.presets import Preset
from napari_pogmdm.runtime.device import Device

_MASKS = "C4/8,C4/8r,C4/4,R11,G8"  # the columns of the paper's tables
_CHAINS = 8  # a standard deviation over n chains is known to 1 / sqrt(2 (n - 1)), here 27 %, and pixels are many


def calibrate(
    files: Annotated[list[str], typer.Argument(help="Validation scans; their middle slices are used.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file for the factor and its evidence.")],
    masks: MaskCodesOption = _MASKS,
    model: ModelOption = DEFAULT_MODEL.value,
    preset: Annotated[Preset, typer.Option("--preset", help="Settings of the sampler by name.")] = Preset.POSTERIOR,
    chains: ChainsOption = _CHAINS,
    coils: CoilsOption = DEFAULT_COILS,
    device: DeviceOption = Device.AUTO,
) -> None:
    """Fit the factor with which the intervals of chains cover what they say, and judge it on scans left out in turn."""
    from napari_pogmdm.cli.validation_cases import file_hash, validation_cases
    from napari_pogmdm.evaluation.calibrate import calibrate as fit
    from napari_pogmdm.evaluation.calibrate import errors_of, in_words
    from napari_pogmdm.evaluation.method_names import SamplerMethod
    from napari_pogmdm.files import write_file
    from napari_pogmdm.prior.weights import load_prior, parameter_hash
    from napari_pogmdm.recon.sampler.presets import PRESETS
    from napari_pogmdm.runtime.device import choose_device

    check_outputs({"--output": output}, (*files, model))
    if BundledScan.DEMO in files:
        raise InputError("calibrate: never on the bundled scan, on which intervals are shown; give others.")
    if chains < 2:
        raise InputError(f"--chains: {chains} have no spread; give 2 or more.")
    cases = validation_cases(files, masks.split(","), coils, choose_device(device).name)
    method = SamplerMethod(PRESETS[preset], model, chains)
    found = []
    for errors in errors_of(cases, method):
        found.append(errors)
        typer.echo(f"{errors.scan} {errors.mask}, as the chains are: {in_words([errors], 1.0)}")
    evidence = {
        "command": shlex.join(["napari-pogmdm", *sys.argv[1:]]),
        "version": __version__,
        "chains": chains,
        "scans_sha256": {Path(file).name: file_hash(file) for file in files},
    }
    fitted = fit(found, preset.value, parameter_hash(load_prior(model)), evidence)
    write_file(output, fitted.to_json() + "\n")
    typer.echo(
        f"factor {fitted.factor:.3f} (noise / {fitted.noise:.4g})^{fitted.exponent:.3f}, with which: "
        f"{in_words(found, fitted.factor_at)}"
    )
    typer.echo(f"{output}: {fitted.words}")
