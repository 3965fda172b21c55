"""The runs of ``reconstruct``, slice by slice: from its options, from a recorded run, or from both.

All calls into the engine that ``reconstruct`` makes for a slice stand here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from napari_pogmdm.cli.options.reconstruction import SAMPLING_OPTIONS, ReconstructionRequest
from napari_pogmdm.data.acquisition import Acquisition, Scan
from napari_pogmdm.data.plain_data import read_plain
from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.coils.given import load_coil_maps
from napari_pogmdm.recon.measurement import Measurement, undersample
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.methods import ClassicalSettings, reconstruct, settings_of
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.algorithms.by_name import draws_noise
from napari_pogmdm.recon.sampler.preset_file import is_preset, preset_in
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.stepper import CancelCheck, Progress
from napari_pogmdm.runs.record_file import records_in
from napari_pogmdm.runs.repeat import changes_of, maps_of, preparation_of, sampler_of, sampling_of, slice_of, stop_of
from napari_pogmdm.setting_text import with_values


@dataclass(frozen=True)
class SliceRun:
    """One slice to reconstruct, and how.

    Attributes
    ----------
    index
        Of the slice.
    request
        What was asked for, filled up from the record.
    settings
        Of the method; ``None`` for one that has none.
    record
        Of the run that is repeated, if there is one.
    same_sampling
        Whether mask or trajectory are those of the record.
    """

    index: int
    request: ReconstructionRequest
    settings: SamplerSettings | ClassicalSettings | None
    record: RunRecord | None = None
    same_sampling: bool = False

    @property
    def chains_alike(self) -> bool:
        """Whether there are several chains that no noise tells apart."""
        settings = self.settings
        return self.request.chains > 1 and isinstance(settings, SamplerSettings) and not draws_noise(settings)

    def measure(self, acquisition: Acquisition, device: str) -> Measurement:
        """Undersample the slice."""
        request = self.request
        if self.record is not None and self.same_sampling:
            sampling = sampling_of(self.record, acquisition)
        else:
            sampling = request.sampling.recipe.make(acquisition)
        return undersample(
            acquisition,
            sampling,
            coils=request.coils,
            prewhiten=request.prewhiten,
            exclude_padding=request.exclude_padding,
            noise_floor=request.noise_floor,
            device=device,
        )

    def reconstruct(
        self,
        measurement: Measurement,
        progress: Progress | None = None,
        cancelled: CancelCheck | None = None,
        store: Path | None = None,
    ) -> Reconstruction:
        """Run the method; see `napari_pogmdm.recon.methods.reconstruct`."""
        request, settings = self.request, self.settings
        if not isinstance(settings, SamplerSettings):
            values = {} if settings is None else asdict(settings)
            return reconstruct(measurement, request.method.value, progress=progress, **values)
        record = self.record if self.record is not None and self.record.method == Method.POGMDM else None
        maps = None if record is None else maps_of(record)
        if request.coil_maps is not None:
            maps = load_coil_maps(request.coil_maps)
        return reconstruct(
            measurement,
            model=request.model,
            preset=settings,
            chains=request.chains,
            seed=request.seed,
            changes=() if record is None else changes_of(record),
            maps=maps,
            stop_after=None if record is None else stop_of(record, settings),
            store=store,
            progress=progress,
            cancelled=cancelled,
        )


def read_settings_file(path: Path | None) -> tuple[Sequence[RunRecord], SamplerSettings | None]:
    """Read the file of ``--settings``, if there is one.

    Returns
    -------
    The records of an earlier run, one a slice, or settings of the sampler alone.
    """
    if path is None:
        return (), None
    try:
        data = read_plain(path)
        return ((), preset_in(data, path).settings) if is_preset(data) else (records_in(data, path), None)
    except InputError as error:
        raise InputError(f"--settings: {error}") from error


def plan_runs(
    request: ReconstructionRequest,
    given: frozenset[str],
    scan: Scan,
    repeated: Sequence[RunRecord],
    bare: SamplerSettings | None,
) -> list[SliceRun]:
    """List the slices to reconstruct: those of the records that are repeated, or those that the options name.

    Parameters
    ----------
    request
        The options of the command.
    given
        Names of those that stood on the command line; they win over a record.
    scan
        That has the slices.
    repeated
        Records of an earlier run; empty if there is none.
    bare
        Settings alone, from a file.
    """
    if not repeated:
        settings = _settings_for(request, given, None, bare)
        return [SliceRun(index, request, settings) for index in request.scan.indices(scan, request.slice_)]
    runs = []
    for record in repeated[:1] if "slice_" in given else repeated:
        filled = _filled(request, given, record)
        settings = _settings_for(filled, given, record, None)
        for index in filled.scan.indices(scan, filled.slice_):
            runs.append(SliceRun(index, filled, settings, record, same_sampling=not given & SAMPLING_OPTIONS))
    return runs


def _filled(request: ReconstructionRequest, given: frozenset[str], record: RunRecord) -> ReconstructionRequest:
    """Take from a record what the command line does not say."""
    prepared = asdict(preparation_of(record))
    found: dict[str, Any] = {**prepared, "coils": prepared["coils"] or 0, "slice_": str(slice_of(record))}
    if record.method not in {*Method}:
        raise InputError(f"--settings: the record's method {record.method!r} is unknown; it is from another version.")
    found["method"] = Method(record.method)
    if record.method == Method.POGMDM:
        found |= dict(zip(("model", "chains", "seed"), sampler_of(record), strict=True))
    return replace(request, **{name: value for name, value in found.items() if name not in given})


def _settings_for(
    request: ReconstructionRequest, given: frozenset[str], record: RunRecord | None, bare: SamplerSettings | None
) -> SamplerSettings | ClassicalSettings | None:
    """Make the settings of the method: preset or record or file, and single values on top."""
    recorded = None if record is None or record.method != request.method else record.settings
    if request.method != Method.POGMDM:
        return _classical_settings(request, recorded, bare)
    if bare is None and recorded is not None and "preset" not in given:
        bare = SamplerSettings.from_dict(recorded)
    usual = bare or preset(request.preset)
    if request.coil_maps is not None:
        usual = replace(usual, update_coils=False)
    return with_values(usual, request.set_ or ())


def _classical_settings(
    request: ReconstructionRequest, recorded: dict[str, Any] | None, bare: SamplerSettings | None
) -> ClassicalSettings | None:
    if bare is not None:
        raise InputError(f"--settings: are those of {Method.POGMDM}, but --method asks for {request.method}.")
    usual = settings_of(request.method, recorded)
    if usual is None and request.set_:
        raise InputError(f"--set: {request.method} has no settings.")
    return usual if usual is None else with_values(usual, request.set_ or ())
