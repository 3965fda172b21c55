"""Named settings: the paper's, our best, and a quick one."""

from __future__ import annotations

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.settings import SamplerSettings

PRESETS: dict[str, SamplerSettings] = {
    "paper": SamplerSettings(),
    "default": SamplerSettings(
        algorithm="splitting",
        iterations=60,
        largest_noise=0.1,
        smallest_noise=0.01,
        prior_weight=0.6,
        conjugate_gradients=8,
        momentum=0.6,
        injected_noise=0.1,
        turn_images=True,
        coil_start="auto",
        coil_interval=4,
        coil_smoothing=100.0,
        renormalise=True,
    ),
    "fast": SamplerSettings(
        algorithm="splitting",
        iterations=14,
        largest_noise=0.1,
        smallest_noise=0.01,
        prior_weight=0.6,
        conjugate_gradients=6,
        momentum=0.6,
        turn_images=True,
        coil_start="auto",
        coil_interval=4,
        coil_smoothing=160.0,
        renormalise=True,
    ),
}


def preset(name: str) -> SamplerSettings:
    """Look up a preset by name."""
    if name not in PRESETS:
        raise InputError(f"preset: unknown {name!r}; choose from {', '.join(PRESETS)}.")
    return PRESETS[name]
