"""What ``reconstruct`` was asked for, slice by slice: from options, from a recorded run, or from both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from napari_pogmdm.cli.options import mask_for, slice_indices
from napari_pogmdm.errors import InputError

if TYPE_CHECKING:
    from napari_pogmdm.data.acquisition import Acquisition
    from napari_pogmdm.recon.measurement import Measurement
    from napari_pogmdm.recon.record import RunRecord
    from napari_pogmdm.recon.result import Reconstruction
    from napari_pogmdm.recon.sampler.settings import SamplerSettings
    from napari_pogmdm.recon.stepper import Cancelled, Progress

_MASK_OPTIONS = {"mask", "acceleration", "acl", "axis", "mask_seed"}


@dataclass(frozen=True)
class Wishes:
    """Values of the options; ``given`` names those that stood on the command line."""

    slice_: str
    method: str
    model: str
    preset: str
    values: tuple[str, ...]
    chains: int
    seed: int
    mask: str
    acceleration: float
    acl: float
    axis: str
    mask_seed: int
    coils: int
    prewhiten: bool
    exclude_padding: bool
    noise_floor: bool | None
    coil_maps: Path | None = None
    given: frozenset[str] = frozenset()

    def repeating(self, record: RunRecord) -> Wishes:
        """Take from a record what the command line does not say."""
        from napari_pogmdm.runs.repeat import preparation_of, sampler_of, slice_of

        prepared = asdict(preparation_of(record))
        found: dict[str, Any] = {**prepared, "coils": prepared["coils"] or 0, "slice_": str(slice_of(record))}
        found["method"] = record.method
        if record.method == "pogmdm":
            found |= dict(zip(("model", "chains", "seed"), sampler_of(record), strict=True))
        return replace(self, **{name: value for name, value in found.items() if name not in self.given})


@dataclass(frozen=True)
class SliceRun:
    """One slice to reconstruct, and how."""

    index: int
    wishes: Wishes
    settings: Any
    record: RunRecord | None = None

    def measure(self, acquisition: Acquisition, device: str) -> Measurement:
        """Undersample the slice."""
        from napari_pogmdm.physics.masks.record import mask_from_record
        from napari_pogmdm.recon.measurement import undersample

        wishes = self.wishes
        if self.record is not None and not wishes.given & _MASK_OPTIONS:
            mask = mask_from_record(self.record.mask, acquisition.shape)
        else:
            mask = mask_for(acquisition, wishes.mask, wishes.acceleration, wishes.acl, wishes.axis, wishes.mask_seed)
        return undersample(
            acquisition,
            mask,
            coils=wishes.coils or None,
            prewhiten=wishes.prewhiten,
            exclude_padding=wishes.exclude_padding,
            noise_floor=wishes.noise_floor,
            device=device,
        )

    def reconstruct(
        self,
        measurement: Measurement,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
        store: Path | None = None,
    ) -> Reconstruction:
        """Run the method."""
        from napari_pogmdm.recon.coils.given import load_coil_maps
        from napari_pogmdm.recon.methods import reconstruct
        from napari_pogmdm.runs.repeat import changes_of, maps_of, stop_of

        wishes = self.wishes
        if wishes.method != "pogmdm":
            values = {} if self.settings is None else asdict(self.settings)
            return reconstruct(measurement, wishes.method, progress=progress, **values)
        record = self.record if self.record is not None and self.record.method == "pogmdm" else None
        maps = None if record is None else maps_of(record)
        if wishes.coil_maps is not None:
            maps = load_coil_maps(wishes.coil_maps)
        return reconstruct(
            measurement,
            model=wishes.model,
            preset=self.settings,
            chains=wishes.chains,
            seed=wishes.seed,
            changes=() if record is None else changes_of(record),
            maps=maps,
            stop_after=None if record is None else stop_of(record, self.settings),
            store=store,
            progress=progress,
            cancelled=cancelled,
        )


def plan_runs(
    wishes: Wishes, slices: int, repeated: Sequence[RunRecord], bare: SamplerSettings | None
) -> list[SliceRun]:
    """List the slices to reconstruct: those of the records that are repeated, or those that the options name.

    Parameters
    ----------
    repeated
        Records of an earlier run; empty if there is none.
    bare
        Settings alone, from a file.
    """
    if not repeated or "slice_" in wishes.given:
        record = repeated[0] if repeated else None
        filled = wishes if record is None else wishes.repeating(record)
        settings = settings_for(filled, record, bare)
        return [SliceRun(index, filled, settings, record) for index in slice_indices(filled.slice_, slices)]
    runs = []
    for record in repeated:
        filled = wishes.repeating(record)
        runs.append(SliceRun(int(filled.slice_), filled, settings_for(filled, record, None), record))
    return runs


def settings_for(wishes: Wishes, record: RunRecord | None, bare: SamplerSettings | None) -> Any:
    """Make the settings of the method: preset or record or file, and single values on top."""
    from napari_pogmdm.evaluation.method_names import parse_sampler
    from napari_pogmdm.recon.methods import settings_of
    from napari_pogmdm.recon.sampler.presets import preset
    from napari_pogmdm.recon.sampler.setting_text import with_values
    from napari_pogmdm.recon.sampler.settings import SamplerSettings

    recorded = None if record is None or record.method != wishes.method else record.settings
    if wishes.method != "pogmdm":
        parse_sampler(wishes.method)
        if bare is not None:
            raise InputError(f"--settings: are those of pogmdm, but --method asks for {wishes.method}.")
        usual = settings_of(wishes.method, recorded)
        if usual is None and wishes.values:
            raise InputError(f"--set: {wishes.method} has no settings.")
        return usual if usual is None else with_values(usual, wishes.values)
    if bare is None and recorded is not None and "preset" not in wishes.given:
        bare = SamplerSettings.from_dict(recorded)
    usual_settings = bare or preset(wishes.preset)
    if wishes.coil_maps is not None:
        usual_settings = replace(usual_settings, update_coils=False)
    return with_values(usual_settings, wishes.values)


def read_settings(path: Path) -> tuple[list[RunRecord], SamplerSettings | None]:
    """Read the file of ``--settings``: the records of a run, or bare settings."""
    from napari_pogmdm.data.plain_data import read_plain
    from napari_pogmdm.recon.sampler.preset_file import is_preset, preset_in
    from napari_pogmdm.runs.record_file import records_in

    try:
        data = read_plain(path)
        return ([], preset_in(data, path).settings) if is_preset(data) else (records_in(data, path), None)
    except InputError as error:
        raise InputError(f"--settings: {error}") from error
