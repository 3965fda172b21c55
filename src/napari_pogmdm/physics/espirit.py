"""ESPIRiT coil maps by SigPy, and what it needs: SigPy itself and a calibration region."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.errors import InputError

SMALLEST_CALIBRATION = 8  # samples a side that must be complete: room for a few positions of the smallest useful kernel
NEEDS_SIGPY = "needs SigPy: pip install 'napari-pogmdm[baselines]'"
_LARGEST_CALIBRATION = 24  # samples a side: SigPy's and BART's default; more costs time and memory, and adds little
_KERNEL = 6  # samples a side, SigPy's and BART's default; smaller where the region holds fewer than two of them


def espirit_coils(kspace: Tensor, centre: tuple[int, int]) -> Tensor:
    """Estimate coils alone, see `espirit_maps`.

    Parameters
    ----------
    kspace
        (coils, rows, columns), measured.
    centre
        Rows and columns of the fully sampled middle block.
    """
    return espirit_maps(kspace, centre)[0]


def espirit_maps(kspace: Tensor, centre: tuple[int, int]) -> tuple[Tensor, Tensor]:
    """Estimate coils as the eigenvectors to the largest eigenvalue of the calibration region's image-space kernel.

    Parameters
    ----------
    kspace
        (coils, rows, columns), measured.
    centre
        Rows and columns of the fully sampled middle block.

    Returns
    -------
    Coils, (coils, rows, columns), nowhere cut to zero, and that eigenvalue, (rows, columns): near 1 where there is an
    object, less in the background. Both are on the device of ``kspace``.
    """
    try:
        from sigpy.mri.app import EspiritCalib
    except ImportError as error:
        raise InputError(f"espirit: {NEEDS_SIGPY}.") from error
    width = min(*centre, _LARGEST_CALIBRATION)
    if width < SMALLEST_CALIBRATION:
        raise InputError(
            f"espirit: the fully sampled centre is {centre[0]} x {centre[1]}, too small to calibrate on; "
            "use more central lines or low-pass coils."
        )
    kernel = min(_KERNEL, width // 2)
    calibration = EspiritCalib(
        kspace.detach().cpu().numpy(),
        calib_width=width,
        kernel_width=kernel,
        crop=0,
        output_eigenvalue=True,
        show_pbar=False,
    )
    coils, eigenvalue = (torch.from_numpy(np.ascontiguousarray(found)) for found in calibration.run())
    return coils.to(kspace.device, kspace.dtype), eigenvalue[0].to(kspace.device)
