"""``napari-pogmdm train``: from a folder of images to the weights of a prior."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from napari_pogmdm.prior.configuration import PriorConfiguration
    from napari_pogmdm.training.checkpoint import TrainingState
    from napari_pogmdm.training.slices import VolumeSlices

PATIENCE = "Interrupt with Ctrl-C at any time; --resume goes on from the last checkpoint."


def train(
    data: Annotated[
        Path, typer.Option(help="Folder of volumes: .nii, .nii.gz, .npz, .npy, fastMRI .h5, DICOM folders.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for checkpoint, weights, curve and pictures.")],
    variant: Annotated[str, typer.Option(help="sh-1, sh-2, sh-2-shared, flf, flf-softplus or flf-tc.")] = "flf-tc",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint in OUT, with its settings.")
    ] = False,
    iterations: Annotated[int, typer.Option(help="Optimiser steps.")] = 100_000,
    batch: Annotated[int, typer.Option(help="Patches per step, each at its own noise level.")] = 16,
    patch: Annotated[int, typer.Option(help="Side of a patch; 0 chooses one that suits the filters.")] = 0,
    noise: Annotated[
        str,
        typer.Option(help="How noise levels are drawn: sigma-uniform, sigma-squared-uniform or sigma-root-uniform."),
    ] = "sigma-uniform",
    sigma_max: Annotated[float, typer.Option(help="Largest noise level; the sampler needs 0.49.")] = 1.0,
    weighting: Annotated[str, typer.Option(help="Weight of noise levels: noise, balanced or tweedie.")] = "noise",
    weight_rate: Annotated[float, typer.Option(help="Learning rate of the mixture weights.")] = 1e-4,
    filter_rate: Annotated[float, typer.Option(help="Learning rate of fully learned filters.")] = 1e-3,
    generator_rate: Annotated[float, typer.Option(help="Learning rate of the shearlet generators.")] = 5e-5,
    time_rate: Annotated[float, typer.Option(help="Learning rate of a learned time conditioning.")] = 1e-3,
    decay: Annotated[
        float, typer.Option(help="Last fraction of the training over which the rates fall to zero.")
    ] = 0.0,
    average: Annotated[float, typer.Option(help="Decay of the moving average of the parameters.")] = 0.999,
    augment: Annotated[bool, typer.Option(help="Rotate by right angles and flip.")] = True,
    keep_fan_shape: Annotated[
        bool, typer.Option("--keep-fan-shape", help="Start shearlets from the scaled instead of the projected fan.")
    ] = False,
    filters: Annotated[int | None, typer.Option(help="Other number of fully learned filters.")] = None,
    filter_size: Annotated[int | None, typer.Option(help="Other size of fully learned filters.")] = None,
    scales: Annotated[int | None, typer.Option(help="Other number of shearlet scales, 1 to 4.")] = None,
    sharing: Annotated[
        str | None, typer.Option(help="Shearlets that share potentials: none, within, across, both.")
    ] = None,
    bound: Annotated[float | None, typer.Option(help="Other range [-BOUND, BOUND] of the mixtures' means.")] = None,
    gain: Annotated[str | None, typer.Option(help="How a filter's gain is read off its spectrum: max or mean.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    threads: Annotated[int, typer.Option(help="Processor threads.")] = 1,
    every: Annotated[int, typer.Option(help="Iterations between checkpoints with a point on the curve.")] = 1000,
) -> None:
    """Train a prior by denoising score matching, and write its weights."""
    from napari_pogmdm.errors import InputError
    from napari_pogmdm.prior.configuration import VARIANTS
    from napari_pogmdm.training.checkpoint import FILE_NAME, TrainingState, load_checkpoint
    from napari_pogmdm.training.settings import TrainingSettings
    from napari_pogmdm.training.slices import load_slices

    if variant not in VARIANTS:
        raise InputError(f"variant: there is no {variant!r}; choose one of {', '.join(VARIANTS)}.")
    if threads < 1 or every < 1:
        raise InputError("threads and every must be at least 1.")
    if resume:
        state = load_checkpoint(out)
    else:
        if (out / FILE_NAME).exists():
            raise InputError(f"out: {out} already holds a training; add --resume to go on, or choose another folder.")
        wishes = {"filter_count": filters, "filter_size": filter_size, "scales": scales, "sharing": sharing}
        configuration = _changed(VARIANTS[variant], wishes | {"bound": bound, "gain": gain})
        settings = TrainingSettings.from_dict(
            {
                "iterations": iterations,
                "batch": batch,
                "patch": patch,
                "noise": noise,
                "sigma_max": sigma_max,
                "weighting": weighting,
                "weight_rate": weight_rate,
                "filter_rate": filter_rate,
                "generator_rate": generator_rate,
                "time_rate": time_rate,
                "decay": decay,
                "average": average,
                "augment": augment,
                "keep_fan_shape": keep_fan_shape,
                "seed": seed,
            }
        )
        settings.patch_for(configuration)
        state = TrainingState.begin(configuration, settings)
    volumes = load_slices(data)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out: {out} cannot be made a folder ({error.strerror}).") from error
    _run(state, volumes, data, out, variant, threads, every)


def _changed(configuration: PriorConfiguration, wishes: dict[str, Any]) -> PriorConfiguration:
    return configuration.from_dict(
        configuration.to_dict() | {name: value for name, value in wishes.items() if value is not None}
    )


def _run(
    state: TrainingState,
    volumes: tuple[VolumeSlices, ...],
    data: Path,
    out: Path,
    variant: str,
    threads: int,
    every: int,
) -> None:
    import torch
    from rich.console import Console

    from napari_pogmdm.cli.progress import progress_bar
    from napari_pogmdm.training.card import model_card
    from napari_pogmdm.training.export import export_prior
    from napari_pogmdm.training.figures import save_figures
    from napari_pogmdm.training.trainer import Rhythm, TrainingProgress, train
    from napari_pogmdm.training.validation import LEVELS

    console = Console(stderr=True)
    counts = [sum(len(getattr(volume, part)) for volume in volumes) for part in ("train", "validation", "test")]
    console.print(
        f"{len(volumes)} volumes: {counts[0]} slices to train, {counts[1]} to validate, {counts[2]} kept out."
    )
    console.print(f"{state.configuration.parameter_count} parameters. {PATIENCE}")
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with progress_bar() as begin:
            update = begin(f"training {variant}")

            def report(progress: TrainingProgress) -> None:
                update(progress.iteration, progress.iterations)
                if progress.validation is not None:
                    quality = ", ".join(
                        f"{value:.2f} dB at {level:g}"
                        for level, value in zip(LEVELS, progress.validation.psnr, strict=True)
                    )
                    console.print(f"iteration {progress.iteration}: loss {progress.loss:.4f}, {quality}")
                    save_figures(state, out, variant)

            train(state, volumes, out, report, rhythm=Rhythm(every, every))
    finally:
        torch.set_num_threads(before)
    path = export_prior(state, volumes, out / f"{variant}.safetensors", variant)
    about = f"Volumes of the folder {data.name}, each slice divided by its own maximum."
    path.with_suffix(".md").write_text(model_card(path, state.history, about), encoding="utf-8")
    typer.echo(str(path))
