"""``napari-pogmdm train``: from a folder of images to the weights of a prior."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.groups import grouped
from napari_pogmdm.cli.options.training import PriorOptions
from napari_pogmdm.cli.output_paths import make_folder
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import VARIANTS, Variant
from napari_pogmdm.rivals.names import Learner
from napari_pogmdm.training.settings import TrainingSettings


@grouped
def train(
    *,
    data: Annotated[
        Path, typer.Option(help="Folder of volumes: .nii, .nii.gz, .npz, .npy, fastMRI .h5, DICOM folders.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for checkpoint, weights, curve and pictures.")],
    variant: Annotated[Variant, typer.Option(help="Parameterisation of the prior.")] = Variant.FLF_TC,
    rival: Annotated[
        Learner | None,
        typer.Option(help="Train one of the paper's rivals instead of a prior: on simulated scans, a score on images."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="One size or setting of a rival, such as chans=16 or iterations=500; repeated."),
    ] = None,
    anatomy: Annotated[str, typer.Option(help="What a rival's volumes show, for its card, such as brain.")] = "",
    contrast: Annotated[str, typer.Option(help="Their contrast, such as T1.")] = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the checkpoint in OUT, with its settings.")
    ] = False,
    start: Annotated[
        str,
        typer.Option(
            help="Trained prior or rival to start from, a name or a .safetensors file, instead of random numbers."
        ),
    ] = "",
    name: Annotated[
        str, typer.Option(help="What to call the prior and its file, such as sh-3; unless given, like its variant.")
    ] = "",
    settings: TrainingSettings,
    prior: PriorOptions,
    threads: Annotated[int, typer.Option(min=1, help="Processor threads.")] = 1,
    every: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Iterations between checkpoints, each with a point on the curve; unless given 1000, and 100 through "
            "reconstructions.",
        ),
    ] = None,
) -> None:
    """Train a prior by denoising score matching, or a rival on simulated scans, and write its weights."""
    from napari_pogmdm.cli.training_run import run_training
    from napari_pogmdm.prior.weights import load_experts
    from napari_pogmdm.training.checkpoint import FILE_NAME, TrainingState, load_checkpoint
    from napari_pogmdm.training.volumes.slices import load_slices

    if rival is not None:
        from napari_pogmdm.cli.rival_training import run_rival_training

        if settings != TrainingSettings() or prior != PriorOptions() or name:
            raise InputError("rival: has settings of its own; give them as --set name=value.")
        path = run_rival_training(
            rival,
            data,
            out,
            set_ or (),
            resume=resume,
            start=start,
            threads=threads,
            every=every or settings.usual_rhythm,
            anatomy=anatomy,
            contrast=contrast,
        )
        typer.echo(str(path))
        return
    if set_:
        raise InputError("set: is for --rival; settings of a prior are options of their own.")
    called = name or variant.value
    if Path(called).name != called:
        raise InputError(f"name: {called} is no name for a file; leave out slashes.")
    if resume:
        state = load_checkpoint(out)
    else:
        if (out / FILE_NAME).exists():
            raise InputError(
                f"out: {out} already holds a training; add --resume to continue, or choose another folder."
            )
        configuration = prior.changed(VARIANTS[variant])
        settings.check(configuration)
        begun = load_experts(start, "Training") if start else None
        state = TrainingState.begin(configuration, settings, begun)
    volumes = load_slices(data)
    make_folder(out, "out")
    path = run_training(
        state, volumes, data.name, out, called, threads=threads, every=every or state.settings.usual_rhythm
    )
    typer.echo(str(path))
