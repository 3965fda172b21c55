"""``napari-pogmdm uncertainty`` and ``calibrate``: how chains disagree, and whether that agrees with their error."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm import __version__
from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.pool import PoolOptions
from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.cli.options.shared import (
    SAMPLER_FORM,
    AcsOption,
    ChainsOption,
    CoilsOption,
    DeviceOption,
    MaskCodesOption,
    MaskKindOption,
    ModelOption,
    OneSliceOption,
    SeedOption,
    SourceArgument,
)
from napari_pogmdm.cli.output_paths import check_outputs, make_folder
from napari_pogmdm.data.bundled import BundledScan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.names import DEFAULT_CENTRE_FRACTION, MaskKind
from napari_pogmdm.recon.defaults import DEFAULT_COILS, DEFAULT_MODEL
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.sampler.presets import Preset
from napari_pogmdm.runtime.device import Device

_CHAINS = 16  # a standard deviation over n is known to 1 / sqrt(2 (n - 1)), here 18 %
_MASKS = "C4/8,C4/8r,C4/4,R11,G8"  # the columns of the paper's tables
_CALIBRATION_CHAINS = 8  # known to 27 % in one pixel, but there are thousands of them


@grouped
def uncertainty(
    source: SourceArgument,
    *,
    png: Annotated[
        Path, typer.Option(help="Figure to draw: mean, standard deviation and reliability for each acceleration.")
    ],
    accelerations: Annotated[str, typer.Option(help="Accelerations, separated by commas.")] = "3,4,5",
    kind: MaskKindOption = MaskKind.CARTESIAN,
    acs: AcsOption = DEFAULT_CENTRE_FRACTION,
    slice_: OneSliceOption = "middle",
    scan: ScanOptions,
    method: Annotated[
        str, typer.Option(help=f"{SAMPLER_FORM}; chains of preset {Preset.POSTERIOR} are calibrated.")
    ] = f"{Method.POGMDM}::{Preset.POSTERIOR}",
    chains: ChainsOption = _CHAINS,
    seed: SeedOption = 0,
    coils: CoilsOption = DEFAULT_COILS,
    device: DeviceOption = Device.AUTO,
    places: PoolOptions,
) -> None:
    """Run several chains at several accelerations; show where they disagree, and how often intervals hold the truth."""
    from napari_pogmdm.cli.measured_slice import open_slice
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.evaluation.calibrate import in_words
    from napari_pogmdm.evaluation.coverage import reliability
    from napari_pogmdm.evaluation.method_names import files_in, parse_sampler
    from napari_pogmdm.evaluation.uncertainty import spreads
    from napari_pogmdm.evaluation.uncertainty_figure import save_spreads
    from napari_pogmdm.physics.masks.kinds import make_mask
    from napari_pogmdm.runtime.device import choose_device

    check_outputs({"--png": png}, (source, *files_in((method,))))
    sampler = parse_sampler(method, chains, seed)
    if sampler is None:
        raise InputError(f"method: {method!r} has no chains; choose {Method.POGMDM}.")
    wanted = _numbers(accelerations)
    acquisition = open_slice(source, slice_, "uncertainty", scan)
    masks = [make_mask(kind, acquisition.shape, acceleration, acs) for acceleration in wanted]
    found = []
    chosen = choose_device(places.device(device)).name
    with places.open() as pool, progress_bar() as begin:
        told = begin(method)
        for spread in spreads(acquisition, masks, sampler, coils=coils, device=chosen, progress=told, pool=pool):
            found.append(spread)
            typer.echo(
                f"{spread.mask.describe()}: mean standard deviation inside the object {100 * spread.inside:.3f} %, "
                f"error of the mean {100 * spread.error:.3f} % of the maximum"
            )
            typer.echo(f"  {in_words([spread.errors], spread.factor)}")
    curves = [reliability([spread.errors], spread.factor) for spread in found]  # each mask has its own factor
    typer.echo("claimed " + " ".join(f"{100 * claimed:5.1f}" for claimed, _ in curves[0]))
    means = [sum(share for _, share in points) / len(points) for points in zip(*curves, strict=True)]
    typer.echo("covered " + " ".join(f"{100 * mean:5.1f}" for mean in means))
    typer.echo(found[0].words)
    save_spreads(found, png, f"{acquisition.source}: {method}, {sampler.chains} chains; {found[0].words}")
    typer.echo(str(png))


@grouped
def calibrate(
    files: Annotated[list[str], typer.Argument(help="Validation scans; their middle slices are used.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file for the factor and its evidence.")],
    masks: MaskCodesOption = _MASKS,
    model: ModelOption = DEFAULT_MODEL.value,
    preset: Annotated[Preset, typer.Option("--preset", help="Settings of the sampler by name.")] = Preset.POSTERIOR,
    chains: ChainsOption = _CALIBRATION_CHAINS,
    keep: Annotated[
        Path | None, typer.Option(help="Folder for finished cases; an interrupted command continues from them.")
    ] = None,
    coils: CoilsOption = DEFAULT_COILS,
    device: DeviceOption = Device.AUTO,
    places: PoolOptions,
) -> None:
    """Fit the factor that makes intervals of chains cover what they claim; judge it on scans left out in turn."""
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
        raise InputError("calibrate: the bundled scan is kept for showing results; give other scans.")
    if chains < 2:
        raise InputError(f"--chains: {chains} have no spread; give 2 or more.")
    if keep is not None:
        make_folder(keep, "--keep")
    cases = validation_cases(files, masks.split(","), coils, choose_device(places.device(device)).name)
    method = SamplerMethod(PRESETS[preset], model, chains)
    found = []
    with places.open() as pool:
        for errors in errors_of(cases, method, pool, keep):
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
    middle, powers = fitted.middle, fitted.exponents
    typer.echo(
        f"factor {fitted.factor:.3f} (spread / noise / {middle.over_noise:.3g})^{powers.over_noise:.3f} "
        f"(spread / detail / {middle.over_detail:.3g})^{powers.over_detail:.3f}, with which: "
        f"{in_words(found, fitted.factor_at)}"
    )
    typer.echo(f"{output}: {fitted.words}")


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--accelerations: cannot read {text!r}; write numbers such as 3,4,5.") from None
