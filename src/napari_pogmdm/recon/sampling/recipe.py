"""A recipe of a mask or of a trajectory, and its short name in tables."""

from __future__ import annotations

from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.sampling.trajectory_recipe import TrajectoryRecipe

SamplingRecipe = MaskRecipe | TrajectoryRecipe


def recipe_from_code(code: str) -> SamplingRecipe:
    """Read the short name of a mask (C4/8, R11, ...) or of a trajectory (T32, TR64, TS16) in tables."""
    return TrajectoryRecipe.from_code(code) or MaskRecipe.from_code(code)
