"""Defaults of a reconstruction, and the largest counts that it takes; loads nothing heavy.

Those of masks stand beside `napari_pogmdm.physics.masks.kinds.make_mask`, the settings of each preset in
`napari_pogmdm.recon.sampler.presets`.
"""

from __future__ import annotations

from napari_pogmdm.prior.configuration import Further
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.sampler.presets import Preset
from napari_pogmdm.recon.virtual_coils import AUTO_COILS

DEFAULT_METHOD = Method.POGMDM
DEFAULT_MODEL = Further.FLF_TC_RECON  # trained for reconstruction; `denoise` takes one trained to denoise
DEFAULT_PRESET = Preset.DEFAULT
DEFAULT_COILS = AUTO_COILS
LARGEST_SEED = 2**62 - 1  # torch takes 64 bits; the seeds of all chains, counted on from the first, fit below 2^63
MOST_CHAINS = 10_000  # a mean over more would take weeks; a larger number is a slip
MOST_DENOISING_STEPS = 100  # nothing changes beyond twenty; a larger number is a slip
