"""Options that several commands share, each with its help; names in a help text come from their own list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from napari_pogmdm.data.bundled import BundledScan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.names import (
    AUTO,
    DEFAULT_ACCELERATION,
    DEFAULT_AXIS,
    DEFAULT_CENTRE_FRACTION,
    DEFAULT_MASK_SEED,
    OWN,
    Axis,
    MaskKind,
)
from napari_pogmdm.physics.trajectories.names import TrajectoryKind
from napari_pogmdm.prior.configuration import MODEL_NAMES
from napari_pogmdm.recon.defaults import MOST_CHAINS
from napari_pogmdm.recon.method import CLASSICAL, RIVALS, Method
from napari_pogmdm.recon.sampler.presets import Preset
from napari_pogmdm.recon.virtual_coils import AUTO_COILS
from napari_pogmdm.runtime.device import Device

if TYPE_CHECKING:
    from napari_pogmdm.recon.sampling.recipe import SamplingRecipe


def listed(names: Iterable[str], last: str = "or") -> str:
    """Write names as people do: a, b or c.

    Parameters
    ----------
    names
        At least one.
    last
        The word before the last name.
    """
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else end


def completed(*names: str) -> Callable[[str], list[str]]:
    """Make the completion of an option that takes one of some names, or a file."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


SAMPLER_FORM = f"{Method.POGMDM}[:model[:preset[:chains]]]"
"""How a list of methods names a sampler, its model, preset and number of chains."""
METHODS_HELP = (
    f"Methods, separated by commas: {listed(CLASSICAL)}; "
    f"the learned rivals {listed(RIVALS, 'and')}, each with :checkpoint for your own weights; "
    f"or {SAMPLER_FORM}, where a preset may be a file of settings."
)

BUNDLED_OR_FILE = (
    "A file (fastMRI, ISMRMRD, Siemens twix, BART, NumPy, NIfTI, DICOM), or a scan that needs no file: "
    f"{listed(BundledScan)}"
)
complete_bundled = completed(*BundledScan)

SourceArgument = Annotated[str, typer.Argument(help=f"{BUNDLED_OR_FILE}.", autocompletion=complete_bundled)]
OneSliceOption = Annotated[str, typer.Option("--slice", help="A number, or 'middle'.")]


class ProgressStyle(StrEnum):
    """For whom progress is told."""

    BAR = "bar"
    """For people."""

    LINES = "lines"
    """For programs: a line of JSON on the error stream for every hundredth of a job."""


SlicesOption = Annotated[str, typer.Option("--slice", help="A number, 'middle' or 'all'.")]


def _coils(value: str | int) -> int:
    """Read a number or "auto"; a negative number is refused later, in the words of the engine."""
    if isinstance(value, int):  # the default, which passes here, too
        return value
    if value == "auto":
        return AUTO_COILS
    return int(value) if int(value) >= 0 else AUTO_COILS - 1


CoilsOption = Annotated[
    int,
    typer.Option(
        "--coils",
        parser=_coils,
        metavar="INTEGER|auto",
        show_default="auto",
        help="Compress to this many virtual coils; 0 keeps all, auto goes by the size of the image.",
    ),
]
PrewhitenOption = Annotated[bool, typer.Option("--prewhiten", help="Decorrelate the coils' noise first.")]
ExcludePaddingOption = Annotated[
    bool, typer.Option("--exclude-padding", help="Count zero-padded columns as not measured, not as measured zeros.")
]
NoiseFloorOption = Annotated[
    bool | None,
    typer.Option(
        "--noise-floor/--no-noise-floor",
        help="Add the noise floor that a noisy reference has, or not; by default, as the scan has it.",
    ),
]
DeviceOption = Annotated[Device, typer.Option("--device", help="Where to compute.")]

MaskOption = Annotated[
    str,
    typer.Option(
        "--mask",
        help=f"{listed(MaskKind)}; a .npy file; '{OWN}' for the mask in the scan's file; "
        f"'{AUTO}' for that one, or else {MaskKind.CARTESIAN}.",
        autocompletion=completed(AUTO, OWN, *MaskKind),
    ),
]
MaskKindOption = Annotated[MaskKind, typer.Option("--kind", help="Pattern of the samples.")]
AccelerationOption = Annotated[
    float, typer.Option("--acceleration", help="Ratio of grid points to sampled points to aim for.")
]
AcsOption = Annotated[
    float,
    typer.Option("--acs", help="Share of lines in the centre that are all sampled (auto-calibration signal)."),
]
AxisOption = Annotated[Axis, typer.Option("--axis", help="Direction of whole lines.")]
MaskSeedOption = Annotated[int, typer.Option(help="Seed of the mask; the same seed gives the same mask.")]
MaskCodesOption = Annotated[
    str,
    typer.Option(
        "--masks",
        help="Mask codes, separated by commas: letter of the kind, acceleration, percentage of central lines after a "
        "slash, r for rows. T32 is a trajectory of 32 spokes at golden angles, TR64 one of 64 even spokes, TS16 one "
        "of 16 spiral arms.",
    ),
]

TrajectoryOption = Annotated[
    str | None,
    typer.Option(
        "--trajectory",
        help=f"Samples off the grid instead of a mask: {listed(TrajectoryKind)}, simulated from a complete scan; "
        "or a .npy file of positions.",
        autocompletion=completed(*TrajectoryKind),
    ),
]
SpokesOption = Annotated[
    int | None,
    typer.Option(
        "--spokes", "--arms", help="Spokes of the trajectory, or arms of a spiral.", show_default="64, or 16 arms"
    ),
]

MethodOption = Annotated[Method, typer.Option("--method", help="Method of reconstruction.")]
MODEL_OR_FILE = f"Prior: {listed(MODEL_NAMES)}, or a .safetensors file"
complete_model = completed(*MODEL_NAMES)
ModelOption = Annotated[str, typer.Option("--model", help=f"{MODEL_OR_FILE}.", autocompletion=complete_model)]
PresetOption = Annotated[Preset, typer.Option("--preset", help="Settings of the sampler by name.")]
ChainsOption = Annotated[
    int,
    typer.Option(
        "--chains", min=1, max=MOST_CHAINS, help="Chains of pogmdm to average; with 2 or more there is a variance."
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="Seed of the sampler's noise; further chains take the seeds after it.")
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@dataclass(frozen=True)
class SamplingOptions:
    """How to undersample a scan: a group of options, see `napari_pogmdm.cli.options.groups.grouped`.

    Attributes
    ----------
    mask
        A kind, a file, or whose mask to take.
    acceleration
        Ratio of grid points to sampled points to aim for.
    acs
        Share of fully sampled central lines.
    axis
        Direction of whole lines.
    mask_seed
        Of the mask's random numbers.
    trajectory
        A kind, or a file, instead of a mask.
    spokes
        Of the trajectory, or arms of a spiral.
    """

    mask: MaskOption = AUTO
    acceleration: AccelerationOption = DEFAULT_ACCELERATION
    acs: AcsOption = DEFAULT_CENTRE_FRACTION
    axis: AxisOption = DEFAULT_AXIS
    mask_seed: MaskSeedOption = DEFAULT_MASK_SEED
    trajectory: TrajectoryOption = None
    spokes: SpokesOption = None

    @property
    def files(self) -> tuple[str, ...]:
        """What may be a file that is read."""
        return tuple(name for name in (self.mask, self.trajectory) if name is not None)

    @property
    def recipe(self) -> SamplingRecipe:
        """The recipe that these options spell out."""
        from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
        from napari_pogmdm.recon.sampling.trajectory_recipe import TrajectoryRecipe

        if self.trajectory is not None:
            if self.mask != AUTO:
                raise InputError("--trajectory: cannot be combined with --mask; give one of the two.")
            return TrajectoryRecipe(self.trajectory, self.spokes)
        if self.spokes is not None:
            raise InputError(f"--spokes: belongs to --trajectory; add --trajectory {TrajectoryKind.GOLDEN_RADIAL}.")

        return MaskRecipe(self.mask, self.acceleration, self.acs, self.mask_seed, self.axis.value)


def given_options(context: typer.Context) -> frozenset[str]:
    """Name the parameters that stood on the command line, rather than took their default."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE")
