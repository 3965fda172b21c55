"""What a run leaves behind: a result file, a command and a script; no Qt in here."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path

from platformdirs import user_data_path

from napari_pogmdm.arrays import FloatImage
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.recon.record import RunRecord
from napari_pogmdm.recon.result import Reconstruction
from napari_pogmdm.runs.as_text import command_line, needs_file, python_code


def save_result(result: Reconstruction, path: Path, reference: FloatImage | None = None) -> None:
    """Write a result with its record, and how it compares with a reference where there is one.

    Parameters
    ----------
    result
        What is saved.
    path
        Of the HDF5 file, which may exist.
    reference
        (rows, columns) fully sampled image, cropped, in the units of the file.
    """
    result.save(path, None if reference is None else asdict(metrics(reference, result.image)))


def as_command(record: RunRecord, output: str = "result.h5", folder: Path | None = None) -> str:
    """Write the command that repeats a run; what options cannot tell is saved in a file and read from there.

    Parameters
    ----------
    record
        Of the run.
    output
        Name of the file that the command writes.
    folder
        For the file that options cannot replace; the user's data folder if there is none.
    """
    return command_line(record, _saved_if_needed(record, folder), output)


def as_python(record: RunRecord, folder: Path | None = None) -> str:
    """Write the script that repeats a run."""
    return python_code(record, _saved_if_needed(record, folder))


def with_ending(name: str, ending: str) -> Path:
    """Give the path of a file that is written, with an ending if its name has none."""
    return Path(name) if Path(name).suffix else Path(f"{name}{ending}")


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
    write_file(path, text)
    return path
