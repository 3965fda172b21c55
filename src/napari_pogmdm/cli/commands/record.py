"""``napari-pogmdm record``: run the sampler once, and keep what it went through to look at later."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options import (
    Acceleration,
    Acl,
    Axis,
    Coils,
    Device,
    MaskSeed,
    MaskWish,
    Seed,
    Source,
    keep_apart,
    mask_for,
    output_path,
    slice_indices,
)
from napari_pogmdm.errors import InputError


def record(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write; its name ends in .pogmdm.h5.")],
    slice_: Annotated[str, typer.Option("--slice", help="A number, or 'middle'.")] = "middle",
    model: Annotated[str, typer.Option(help="A name from 'models', or a weight file.")] = "flf-tc",
    preset: Annotated[str, typer.Option(help="paper, default or fast.")] = "default",
    every: Annotated[int, typer.Option(help="Iterations from one frame to the next.")] = 1,
    substeps: Annotated[bool, typer.Option("--substeps", help="Also a frame after every substep.")] = False,
    roles: Annotated[str, typer.Option(help="Pictures to keep, separated by commas.")] = "",
    limit: Annotated[float, typer.Option(help="Largest size of the file in MB; frames are thinned to fit.")] = 20.0,
    coils_every: Annotated[int, typer.Option(help="Frames from one set of coil maps to the next.")] = 4,
    chains: Annotated[int, typer.Option(help="Chains, one after the other.")] = 1,
    seed: Seed = 0,
    mask: MaskWish = "auto",
    acceleration: Acceleration = 4.0,
    acl: Acl = 0.08,
    axis: Axis = "columns",
    mask_seed: MaskSeed = 42,
    coils: Coils = 8,
    device: Device = "auto",
) -> None:
    """Record a run into one small file that the window replays without computing."""
    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.data.sources import open_scan
    from napari_pogmdm.prior.weights import load_prior
    from napari_pogmdm.recon.measurement import reference_image, undersample, zero_filled_image
    from napari_pogmdm.recon.sampler.presets import preset as preset_named
    from napari_pogmdm.recon.sampler.request import RunRequest
    from napari_pogmdm.runs.display import geometry_of
    from napari_pogmdm.runs.make_recording import RECORDED_ROLES, make_recording, recorder_for
    from napari_pogmdm.runs.recording import SUFFIX
    from napari_pogmdm.runtime.device import choose_device

    output_path(output, "--output")
    keep_apart(source, output)
    if not output.name.endswith(SUFFIX):
        raise InputError(f"--output: {output.name} should end in {SUFFIX}; choose such a name.")
    if not 1 <= chains <= 1000:
        raise InputError(f"--chains: {chains} is not a number from 1 to 1000.")
    settings, prior = preset_named(preset), load_prior(model)
    scan = open_scan(source)
    indices = slice_indices(slice_, len(scan))
    if len(indices) > 1:
        raise InputError("--slice: a recording holds one slice; give its number or 'middle'.")
    acquisition = scan[indices[0]]
    wanted = mask_for(acquisition, mask, acceleration, acl, axis, mask_seed)
    measurement = undersample(acquisition, wanted, coils=coils or None, device=choose_device(device).name)
    reference = reference_image(acquisition)
    request = RunRequest(measurement, prior, settings, chains, seed, reference)
    geometry = geometry_of(acquisition, zero_filled_image(measurement) if reference is None else reference)
    recorder = recorder_for(request, geometry, round(limit * 1e6), coils_every)
    chosen = tuple(role.strip() for role in roles.split(",")) if roles else RECORDED_ROLES
    with progress_bar() as begin:
        progress = begin(f"recording {scan.name}")
        make_recording(request, recorder, every=every, substeps=substeps, roles=chosen, progress=progress)
    recording = recorder.save(output)
    shown = ", ".join(recording.roles)
    typer.echo(f"{len(recording)} frames of {shown}: {output.stat().st_size / 1e6:.2f} MB")
    typer.echo(str(output))
