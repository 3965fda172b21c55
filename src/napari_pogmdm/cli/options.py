"""Options that several commands share, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from napari_pogmdm.errors import InputError

if TYPE_CHECKING:
    from napari_pogmdm.data.acquisition import Acquisition
    from napari_pogmdm.physics.masks.mask import Mask

Source = Annotated[str, typer.Argument(help="A fastMRI HDF5 file, or 'demo' (bundled scan), or 'phantom'.")]
MaskWish = Annotated[
    str,
    typer.Option(
        help="cartesian, fastmri-random, fastmri-equispaced, fastmri-matched, radial, spiral, gaussian, poisson; "
        "a .npy file; 'file' for the mask that the scan brings; 'auto' for that one or else cartesian."
    ),
]
Acceleration = Annotated[float, typer.Option(help="Grid points over sampled points to aim for.")]
Acl = Annotated[float, typer.Option("--acs", "--acl", help="Share of fully sampled central lines, such as 0.08.")]
Axis = Annotated[str, typer.Option(help="Direction of whole lines: columns, or rows for the rotated mask.")]
MaskSeed = Annotated[int, typer.Option(help="Seed of the mask; the paper's masks have 42.")]
Seed = Annotated[int, typer.Option(help="Seed of the sampler's noise; chains count on from it.")]
Coils = Annotated[int, typer.Option(help="Compress to this many virtual coils; 0 keeps all.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")]
Prewhiten = Annotated[bool, typer.Option("--prewhiten", help="Decorrelate the coils' noise first.")]
ExcludePadding = Annotated[
    bool, typer.Option("--exclude-padding", help="Count zero-padded columns as not measured, not as measured zeros.")
]


def given_options(context: typer.Context) -> frozenset[str]:
    """Name the parameters that stood on the command line, rather than took their default."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE")


def mask_for(acquisition: Acquisition, wish: str, acceleration: float, acl: float, axis: str, seed: int) -> Mask:
    """Make, load or take over the mask that the options describe."""
    from napari_pogmdm.recon.mask_recipe import MaskRecipe

    return MaskRecipe(wish, acceleration, acl, seed, axis).make(acquisition)


def slice_indices(wish: str, count: int) -> list[int]:
    """Turn 'middle', 'all' or a number into slice indices."""
    if wish == "all":
        return list(range(count))
    if wish == "middle":
        return [count // 2]
    try:
        return [int(wish)]
    except ValueError:
        raise InputError(f"slice: {wish!r} is not a number, 'middle' or 'all'.") from None


def output_path(path: Path | None, option: str) -> Path | None:
    """Check before any work is done that a result can be written where it is wanted."""
    if path is None:
        return None
    try:
        if path.is_dir():
            raise InputError(f"{option}: {path} is a folder; name a file in it.")
        if path.exists() and not path.is_file():
            raise InputError(f"{option}: {path} is not an ordinary file; name another one.")
        if not path.parent.is_dir():
            raise InputError(f"{option}: the folder {path.parent} does not exist; make it first.")
    except OSError as error:
        raise InputError(f"{option}: {str(path)[:80]} cannot be written ({error.strerror}).") from error
    return path


def keep_apart(source: str, *outputs: Path | None) -> None:
    """Refuse to write over the scan itself, or two results into one file."""
    written = [path.resolve() for path in outputs if path is not None]
    if len(set(written)) < len(written):
        raise InputError("--output, --png and --resume need different names; two of them name the same file.")
    if any(path.exists() and Path(source).exists() and path.samefile(source) for path in written):
        raise InputError("--output: would write over the scan itself; name another file.")
