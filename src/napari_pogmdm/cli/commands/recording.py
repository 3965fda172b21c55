"""``napari-pogmdm recording``: run the sampler once, and keep its pictures to look at later."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.cli.options.shared import (
    ChainsOption,
    CoilsOption,
    DeviceOption,
    ModelOption,
    OneSliceOption,
    PresetOption,
    SamplingOptions,
    SeedOption,
    SourceArgument,
    listed,
)
from napari_pogmdm.cli.output_paths import check_outputs
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.defaults import DEFAULT_COILS, DEFAULT_MODEL, DEFAULT_PRESET
from napari_pogmdm.runs.roles import LIVE_ROLES
from napari_pogmdm.runtime.device import Device

_MEGABYTE = 1_000_000  # bytes, as file managers count


@grouped
def recording(
    source: SourceArgument,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write; its name ends in .pogmdm.h5.")],
    slice_: OneSliceOption = "middle",
    scan: ScanOptions,
    model: ModelOption = DEFAULT_MODEL.value,
    preset: PresetOption = DEFAULT_PRESET,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Change one setting, such as iterations=20; can be repeated.")
    ] = None,
    every: Annotated[int, typer.Option(help="Iterations from one frame to the next.")] = 1,
    substeps: Annotated[bool, typer.Option("--substeps", help="Also keep a frame after every substep.")] = False,
    roles: Annotated[
        str, typer.Option(help=f"Images to keep, separated by commas, of: {listed(LIVE_ROLES, 'and')}.")
    ] = "",
    limit: Annotated[float, typer.Option(help="Largest size of the file in MB; frames are thinned to fit.")] = 20.0,
    coils_every: Annotated[int, typer.Option(help="Frames from one set of coil maps to the next.")] = 4,
    chains: ChainsOption = 1,
    seed: SeedOption = 0,
    sampling: SamplingOptions,
    coils: CoilsOption = DEFAULT_COILS,
    device: DeviceOption = Device.AUTO,
) -> None:
    """Record a run into one small file that the window replays without computing."""
    from napari_pogmdm.cli.measured_slice import measure_slice, open_slice
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.prior.weights import load_prior
    from napari_pogmdm.recon.measurement import zero_filled_image
    from napari_pogmdm.recon.sampler.presets import PRESETS
    from napari_pogmdm.recon.sampler.request import RunRequest
    from napari_pogmdm.runs.display import geometry_of
    from napari_pogmdm.runs.make_recording import RECORDED_ROLES, make_recording, recorder_for
    from napari_pogmdm.runs.recording import SUFFIX
    from napari_pogmdm.runtime.device import choose_device
    from napari_pogmdm.setting_text import with_values

    check_outputs({"--output": output}, (source, model, *sampling.files))
    if not output.name.endswith(SUFFIX):
        raise InputError(f"--output: {output.name} should end in {SUFFIX}; choose such a name.")
    prior = load_prior(model)
    acquisition = open_slice(source, slice_, "recording", scan)
    measured = measure_slice(acquisition, sampling.recipe, coils, choose_device(device).name)
    request = RunRequest(
        measured.measurement, prior, with_values(PRESETS[preset], set_ or ()), chains, seed, measured.reference
    )
    shown = zero_filled_image(measured.measurement) if measured.reference is None else measured.reference
    recorder = recorder_for(request, geometry_of(acquisition, shown), round(limit * _MEGABYTE), coils_every)
    chosen = tuple(role.strip() for role in roles.split(",")) if roles else RECORDED_ROLES
    with progress_bar() as begin:
        progress = begin(f"recording {acquisition.source}")
        make_recording(request, recorder, every=every, substeps=substeps, roles=chosen, progress=progress)
    made = recorder.save(output)
    typer.echo(f"{len(made)} frames of {', '.join(made.roles)}: {output.stat().st_size / _MEGABYTE:.2f} MB")
    typer.echo(str(output))
