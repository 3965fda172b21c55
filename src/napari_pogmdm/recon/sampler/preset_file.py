"""Settings in a file: bare, or with how they were found."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.sampler.settings import SamplerSettings


@dataclass(frozen=True)
class PresetFile:
    """Settings and the story of their choice: command, version, scans by hash, what was tried."""

    settings: SamplerSettings
    tuning: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Write as JSON text."""
        return json.dumps({"settings": self.settings.to_dict(), "tuning": self.tuning}, indent=2)


def is_preset(data: Any) -> bool:
    """Whether plain data are settings, rather than the record of a run."""
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
