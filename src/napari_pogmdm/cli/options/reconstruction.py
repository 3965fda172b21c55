"""What ``reconstruct`` is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated

import typer

from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.cli.options.shared import (
    ChainsOption,
    CoilsOption,
    ExcludePaddingOption,
    MethodOption,
    ModelOption,
    NoiseFloorOption,
    PresetOption,
    PrewhitenOption,
    SamplingOptions,
    SeedOption,
    SlicesOption,
)
from napari_pogmdm.recon.defaults import DEFAULT_COILS, DEFAULT_METHOD, DEFAULT_MODEL, DEFAULT_PRESET

SAMPLING_OPTIONS = frozenset(one.name for one in fields(SamplingOptions))


@dataclass(frozen=True)
class ReconstructionRequest:
    """What to reconstruct and how; every field is an option of the command, see `grouped`.

    Attributes
    ----------
    slice_
        A number, "middle" or "all".
    scan
        How the file is read, and which contrast and repetition.
    method
        Of reconstruction.
    model, preset
        Prior and settings of pogmdm.
    set_
        Single settings on top, each as ``name=value``.
    chains, seed
        Of pogmdm; the seed is that of the first chain.
    coil_maps
        File of known coils.
    sampling
        How to undersample.
    coils
        Virtual coils to compress to, as `virtual_coils` reads them.
    prewhiten, exclude_padding, noise_floor
        See `napari_pogmdm.recon.measurement.undersample`.
    """

    slice_: SlicesOption = "middle"
    scan: ScanOptions = field(default_factory=ScanOptions)
    method: MethodOption = DEFAULT_METHOD
    model: ModelOption = DEFAULT_MODEL.value
    preset: PresetOption = DEFAULT_PRESET
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Change one setting, such as iterations=20; can be repeated.")
    ] = None
    chains: ChainsOption = 1
    seed: SeedOption = 0
    coil_maps: Annotated[
        Path | None,
        typer.Option(
            help="Known coils: a .npy file (coils, rows, columns). They stay fixed unless --set update_coils=true."
        ),
    ] = None
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    coils: CoilsOption = DEFAULT_COILS
    prewhiten: PrewhitenOption = False
    exclude_padding: ExcludePaddingOption = False
    noise_floor: NoiseFloorOption = None
