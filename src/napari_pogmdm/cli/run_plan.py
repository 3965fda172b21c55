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
from napari_pogmdm.physics.sampling import Sampling
from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.recon.coils.given import CoilMaps, load_coil_maps
from napari_pogmdm.recon.measurement import Measurement, undersample
from napari_pogmdm.recon.method import RIVALS, Method
from napari_pogmdm.recon.methods import OwnSettings, reconstruct, settings_of
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.algorithms.by_name import draws_noise
from napari_pogmdm.recon.sampler.preset_file import is_preset, preset_in
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.stepper import CancelCheck, Progress
from napari_pogmdm.runs.record_file import records_in
from napari_pogmdm.runs.repeat import (
    changes_of,
    files_of,
    maps_of,
    preparation_of,
    sampler_of,
    sampling_of,
    slice_of,
    stop_of,
)
from napari_pogmdm.runtime.pool.pool import Pool
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
    settings: SamplerSettings | OwnSettings | None
    record: RunRecord | None = None
    same_sampling: bool = False

    @property
    def chains_alike(self) -> bool:
        """Whether there are several chains that no noise tells apart."""
        settings = self.settings
        return self.request.chains > 1 and isinstance(settings, SamplerSettings) and not draws_noise(settings)

    @property
    def files(self) -> tuple[str, ...]:
        """What may be a file that is read for the slice, beside scan and model."""
        request = self.request
        recorded = () if self.record is None else files_of(self.record)
        given = (request.coil_maps, request.scan.trajectory_file)
        return (*request.sampling.files, *recorded, *(str(path) for path in given if path is not None))

    def sample(self, acquisition: Acquisition) -> Sampling:
        """Make the mask or trajectory for the slice."""
        if self.record is not None and self.same_sampling:
            return sampling_of(self.record, acquisition)
        return self.request.sampling.recipe.make(acquisition)

    def maps(self) -> CoilMaps | None:
        """Read known coils, where there are some."""
        if self.request.coil_maps is not None:
            return load_coil_maps(self.request.coil_maps)
        return None if self._sampler_record is None else maps_of(self._sampler_record)

    @property
    def _sampler_record(self) -> RunRecord | None:
        return self.record if self.record is not None and self.record.method == Method.POGMDM else None

    def measure(self, acquisition: Acquisition, device: str, sampling: Sampling | None = None) -> Measurement:
        """Undersample the slice.

        Parameters
        ----------
        acquisition
            The slice as the scan has it.
        device
            Where to compute, as torch calls it.
        sampling
            Mask or trajectory, where it is made already.
        """
        request = self.request
        return undersample(
            acquisition,
            self.sample(acquisition) if sampling is None else sampling,
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
        *,
        prior: ScorePrior | None = None,
        maps: CoilMaps | None = None,
        pool: Pool | None = None,
    ) -> Reconstruction:
        """Run the method; see `napari_pogmdm.recon.methods.reconstruct`.

        Parameters
        ----------
        measurement
            To reconstruct from.
        progress, cancelled, store, pool
            As there.
        prior, maps
            The model and known coils, where they are loaded already.
        """
        request, settings = self.request, self.settings
        if not isinstance(settings, SamplerSettings):
            values = {} if settings is None else asdict(settings)
            if request.method in RIVALS:
                values |= {"model": request.model, "seed": request.seed}
            return reconstruct(measurement, request.method.value, progress=progress, cancelled=cancelled, **values)
        record = self._sampler_record
        return reconstruct(
            measurement,
            model=request.model if prior is None else prior,
            preset=settings,
            chains=request.chains,
            seed=request.seed,
            changes=() if record is None else changes_of(record),
            maps=maps or self.maps(),
            stop_after=None if record is None else stop_of(record, settings),
            store=store,
            progress=progress,
            cancelled=cancelled,
            pool=pool,
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
        request = _with_checkpoint(request, given, None)
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
    filled = replace(request, **{name: value for name, value in found.items() if name not in given})
    return _with_checkpoint(filled, given, record)


def _with_checkpoint(
    request: ReconstructionRequest, given: frozenset[str], record: RunRecord | None
) -> ReconstructionRequest:
    """Give a rival a checkpoint for a model: the one asked for, that of a record, or "" for the weights that ship."""
    if request.method not in RIVALS or "model" in given:
        return request
    recorded = sampler_of(record)[0] if record is not None and record.method == request.method else ""
    return replace(request, model=recorded)


def _settings_for(
    request: ReconstructionRequest, given: frozenset[str], record: RunRecord | None, bare: SamplerSettings | None
) -> SamplerSettings | OwnSettings | None:
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
) -> OwnSettings | None:
    if bare is not None:
        raise InputError(f"--settings: are those of {Method.POGMDM}, but --method asks for {request.method}.")
    usual = settings_of(request.method, recorded)
    if usual is None and request.set_:
        raise InputError(f"--set: {request.method} has no settings.")
    return usual if usual is None else with_values(usual, request.set_ or ())
