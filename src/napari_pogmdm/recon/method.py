"""Names of the methods of reconstruction."""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """A way from a measurement to an image; `napari_pogmdm.recon.methods.reconstruct` runs each by its name."""

    POGMDM = "pogmdm"
    ZERO_FILLED = "zero-filled"
    CG_SENSE = "cg-sense"
    TV = "tv"
    JOINT_TV = "joint-tv"
    ESPIRIT_CG = "espirit-cg"
    L1_WAVELET = "l1-wavelet"
    UNET = "unet"
    VARNET = "varnet"
    JSENSE = "jsense"
    SCORE_MRI = "score-mri"


RIVALS = (Method.UNET, Method.VARNET, Method.JSENSE, Method.SCORE_MRI)
"""The learned methods that the paper compares with."""

CLASSICAL = tuple(method for method in Method if method is not Method.POGMDM and method not in RIVALS)
"""Methods that have learned nothing."""

WITH_SIGPY = (Method.ESPIRIT_CG, Method.L1_WAVELET)
"""Classical methods that need SigPy, the extra ``[baselines]``."""
