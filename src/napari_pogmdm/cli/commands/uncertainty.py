"""``napari-pogmdm uncertainty``: how chains disagree at several accelerations, and whether they are right to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.cli.options.shared import (
    SAMPLER_FORM,
    AcsOption,
    ChainsOption,
    CoilsOption,
    DeviceOption,
    MaskKindOption,
    OneSliceOption,
    SeedOption,
    SourceArgument,
)
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.names import DEFAULT_CENTRE_FRACTION, MaskKind
from napari_pogmdm.recon.defaults import DEFAULT_COILS
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.sampler.presets import Preset
from napari_pogmdm.runtime.device import Device

_CHAINS = 16  # a standard deviation over n is known to 1 / sqrt(2 (n - 1)), here 18 %


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
) -> None:
    """Run several chains at several accelerations; show where they disagree, and how often the truth is within."""
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
    chosen = choose_device(device).name
    with progress_bar() as begin:
        told = begin(method)
        for spread in spreads(acquisition, masks, sampler, coils=coils, device=chosen, progress=told):
            found.append(spread)
            typer.echo(
                f"{spread.mask.describe()}: mean standard deviation inside the object {100 * spread.inside:.3f} %, "
                f"error of the mean {100 * spread.error:.3f} % of the maximum"
            )
            typer.echo(f"  {in_words([spread.errors], spread.factor)}")
    curve = reliability([spread.errors for spread in found], found[0].factor)
    typer.echo("claimed " + " ".join(f"{100 * claimed:5.1f}" for claimed, _ in curve))
    typer.echo("covered " + " ".join(f"{100 * share:5.1f}" for _, share in curve))
    typer.echo(found[0].words)
    save_spreads(found, png, f"{acquisition.source}: {method}, {sampler.chains} chains; {found[0].words}")
    typer.echo(str(png))


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--accelerations: cannot read {text!r}; write numbers such as 3,4,5.") from None
