"""What a run leaves behind: a result file, a command, a script, and settings of one's own; no Qt in here."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from platformdirs import user_data_path

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.data.plain_data import read_plain
from napari_pogmdm.data.result_file import result_file
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import atomic_path
from napari_pogmdm.recon.metrics import compare
from napari_pogmdm.recon.record import RunRecord, record_run
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.runs.record_file import records_in
from napari_pogmdm.runs.repeat import command_line, needs_file, python_code
from napari_pogmdm.runs.run import RunRequest


def save_result(result: Reconstruction, path: Path, reference: FloatImage | None = None) -> None:
    """Write a result with its record in the layout that fastMRI takes, as the terminal does."""
    metrics = None if reference is None else asdict(compare(reference, result.image))
    index = result.record.scan.get("index", 0)
    with result_file(path, 1) as file:
        file.add(0, result.arrays())
        file.record(json.dumps([{"slice": index, **asdict(result.record), "metrics": metrics}], indent=2))


def as_command(record: RunRecord, output: str = "result.h5", folder: Path | None = None) -> str:
    """Write the command that repeats a run; what options cannot tell is saved beside it and read from there."""
    return command_line(record, _saved_if_needed(record, folder), output)


def as_python(record: RunRecord, folder: Path | None = None) -> str:
    """Write the script that repeats a run."""
    return python_code(record, _saved_if_needed(record, folder))


def planned_record(request: RunRequest) -> RunRecord:
    """Record a run that has not begun, as far as repeating it needs."""
    prior = request.prior
    return record_run(
        request.measurement,
        "pogmdm",
        request.settings.to_dict(),
        len(request.settings.levels()) - 1,
        stopped=False,
        seconds=0.0,
        sampler={
            "model": prior.information.get("source", prior.name),
            "seed": request.seed,
            "chains": request.chains,
        },
    )


def with_ending(name: str, ending: str) -> Path:
    """Give the path of a file that is written, with an ending if its name has none."""
    return Path(name) if Path(name).suffix else Path(f"{name}{ending}")


def save_settings(settings: SamplerSettings, path: Path) -> None:
    """Write settings as JSON."""
    with atomic_path(path) as temporary:
        temporary.write_text(settings.to_json())


def load_settings(path: Path) -> SamplerSettings:
    """Read settings from a JSON file, or those of the run that a record or a result file tells of."""
    data = read_plain(path)
    first = data[0] if isinstance(data, list) and data else data
    if not isinstance(first, dict):
        raise InputError(f"{path.name}: holds neither settings nor the record of a run.")
    if "settings" in first:
        record = records_in(data, path)[0]
        if record.method != "pogmdm":
            raise InputError(f"{path.name}: is the record of {record.method}, which has no sampler settings.")
        first = record.settings
    try:
        return SamplerSettings.from_dict(first)
    except InputError as error:
        raise InputError(f"{path.name}: {error}") from error


def _saved_if_needed(record: RunRecord, folder: Path | None) -> Path | None:
    """Save a record that options cannot tell under a name that its contents decide."""
    if not needs_file(record):
        return None
    text = record.to_json()
    target = folder or user_data_path("napari-pogmdm", appauthor=False) / "runs"
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{target}: cannot be made ({error.strerror}), so the run's record has no place.") from error
    path = target / f"run-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    with atomic_path(path) as temporary:
        temporary.write_text(text)
    return path
