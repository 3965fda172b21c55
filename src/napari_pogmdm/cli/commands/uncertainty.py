"""``napari-pogmdm uncertainty``: how chains disagree at several accelerations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from napari_pogmdm.evaluation.uncertainty import Spread

_CHAINS = 16  # a standard deviation over n is known to 1 / sqrt(2 (n - 1)), here 18 %


@grouped
def uncertainty(
    source: SourceArgument,
    *,
    png: Annotated[Path, typer.Option(help="Figure to draw: mean and standard deviation for each acceleration.")],
    accelerations: Annotated[str, typer.Option(help="Accelerations, separated by commas.")] = "3,4,5",
    kind: MaskKindOption = MaskKind.CARTESIAN,
    acs: AcsOption = DEFAULT_CENTRE_FRACTION,
    slice_: OneSliceOption = "middle",
    scan: ScanOptions,
    method: Annotated[
        str, typer.Option(help=f"{SAMPLER_FORM}; preset {Preset.PAPER} samples the posterior.")
    ] = Method.POGMDM.value,
    chains: ChainsOption = _CHAINS,
    seed: SeedOption = 0,
    coils: CoilsOption = DEFAULT_COILS,
    device: DeviceOption = Device.AUTO,
) -> None:
    """Run several chains at several accelerations and show where, and how much, they disagree."""
    from napari_pogmdm.cli.measured_slice import open_slice
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.evaluation.method_names import files_in, parse_sampler
    from napari_pogmdm.evaluation.uncertainty import spreads
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
    _draw(found, png, f"{acquisition.source}: {method}, {sampler.chains} chains")
    typer.echo(str(png))


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--accelerations: cannot read {text!r}; write numbers such as 3,4,5.") from None


def _draw(found: list[Spread], path: Path, title: str) -> None:
    from napari_pogmdm.arrays import white_of
    from napari_pogmdm.recon.figures import Tile, save_tiles

    white = white_of(found[0].mean)
    bright = max(white_of(spread.deviation) for spread in found)
    above = [Tile(spread.mean, f"mean, {spread.mask.acceleration:.2f}x", white, "gray") for spread in found]
    below = [
        Tile(spread.deviation, f"standard deviation, {100 * spread.inside:.2f} % inside", bright, "magma")
        for spread in found
    ]
    save_tiles([above, below], path, f"{title}; black to white: 0 to {100 * bright:.1f} % of the maximum")
