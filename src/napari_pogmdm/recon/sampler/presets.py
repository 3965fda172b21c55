"""Named settings: the paper's, our best, a quick one, and one whose chains tell how sure the image is.

`default`, `fast` and `paper-tuned` (Algorithm 1 with its free parameters chosen) are files that ``tune`` has written:
they say how they were found, and what else was tried. Beside them stands how much the data choose in each, which was
not tuned: see ``docs/choices.md``.
"""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.sampler.preset_file import PresetFile, preset_in
from napari_pogmdm.recon.sampler.settings import Algorithm, Choosing, SamplerSettings


class Preset(StrEnum):
    """Names of the settings that come with the package."""

    PAPER = "paper"
    DEFAULT = "default"
    FAST = "fast"
    POSTERIOR = "posterior"
    PAPER_TUNED = "paper-tuned"


def shipped(name: str) -> PresetFile:
    """Read a preset that comes with the package, with the story of its choice."""
    file = files("napari_pogmdm.recon.sampler") / "preset_files" / f"{name}.json"
    return preset_in(json.loads(file.read_text(encoding="utf-8")), Path(file.name))


_DEFAULT = replace(shipped(Preset.DEFAULT).settings, map_sets=0, choose=Choosing.FULL)

PRESETS: dict[str, SamplerSettings] = {
    Preset.PAPER.value: SamplerSettings(),
    Preset.DEFAULT.value: _DEFAULT,
    Preset.FAST.value: replace(shipped(Preset.FAST).settings, map_sets=0, choose=Choosing.QUICK),
    # Chosen on validation scans by the mean of chains, by single ones and by how alike spread and error are on all of
    # them, which no single number that `tune` could maximise says: docs/uncertainty.md has what was tried.
    Preset.POSTERIOR.value: replace(
        _DEFAULT,
        algorithm=Algorithm.POSTERIOR,
        iterations=36,
        conjugate_gradients=4,
        coil_interval=3,
        largest_noise=2.0,
        smallest_noise=0.5,
        relative_levels=True,
        warm_start=True,
        mirror_noise=True,
        draw_width=1.65,  # 1 / 0.6: how much the estimate counts in `default`
        draw_noise=0.7,
        injected_noise=0.0,
        corrector_steps=0,
    ),
    Preset.PAPER_TUNED.value: shipped(Preset.PAPER_TUNED).settings,
}


def preset(name: str) -> SamplerSettings:
    """Look up a preset by name."""
    if name not in PRESETS:
        raise InputError(f"preset: unknown {name!r}; choose from {', '.join(PRESETS)}.")
    return PRESETS[name]
