"""Settings in a file: alone, with how they were found, or in the record of a run."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.sampler.settings import SamplerSettings


@dataclass(frozen=True)
class PresetFile:
    """Settings and the story of their choice.

    Attributes
    ----------
    settings
        Of the sampler.
    tuning
        How they were found: command, version, scans by hash, what was tried; empty for settings from elsewhere.
    """

    settings: SamplerSettings
    tuning: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Write as JSON text."""
        return json.dumps({"settings": self.settings.to_dict(), "tuning": self.tuning}, indent=2)


def is_preset(data: Any) -> bool:
    """Whether plain data are settings, rather than the record of a run; nowhere else is this decided."""
    return isinstance(data, dict) and ("settings" not in data or "tuning" in data)


def preset_in(data: Any, path: Path) -> PresetFile:
    """Take settings out of plain data that was read from ``path``."""
    bare = data["settings"] if isinstance(data, dict) and "settings" in data else data
    if not isinstance(bare, dict):
        raise InputError(f"{path}: holds no settings.")
    try:
        return PresetFile(SamplerSettings.from_dict(bare), data.get("tuning", {}))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def read_settings(path: Path) -> SamplerSettings:
    """Read settings from a JSON file, or those of the run that a record or a result file tells of."""
    from napari_pogmdm.data.plain_data import read_plain  # reads HDF5 too, which presets by name never need

    data = read_plain(path)
    if is_preset(data):
        return preset_in(data, path).settings
    first = data[0] if isinstance(data, list) and data else data
    if not isinstance(first, dict):
        raise InputError(f"{path}: holds neither settings nor the record of a run.")
    if first.get("method", Method.POGMDM) != Method.POGMDM:
        raise InputError(f"{path}: is the record of {first['method']}, which has no sampler settings.")
    return preset_in(first, path).settings


def save_settings(settings: SamplerSettings, path: Path) -> None:
    """Write settings as JSON."""
    write_file(path, settings.to_json())
