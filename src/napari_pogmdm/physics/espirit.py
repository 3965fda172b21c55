"""ESPIRiT coil maps, through SigPy."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from napari_pogmdm.errors import InputError


def espirit_coils(kspace: Tensor, centre: tuple[int, int]) -> Tensor:
    """Estimate coils as the eigenvectors to the largest eigenvalue of the calibration region's image-space kernel.

    Parameters
    ----------
    kspace
        (coils, rows, columns), measured.
    centre
        Rows and columns of the fully sampled middle block.

    Returns
    -------
    (coils, rows, columns) on the device of ``kspace``; nowhere cut to zero.
    """
    try:
        from sigpy.mri.app import EspiritCalib
    except ImportError as error:
        raise InputError("espirit: needs SigPy: pip install 'napari-pogmdm[baselines]'.") from error
    width = min(centre[0], centre[1], 24)
    if width < 8:
        raise InputError(
            f"espirit: the fully sampled centre is {centre[0]} x {centre[1]}, too small to calibrate on; "
            "use more central lines or low-pass coils."
        )
    kernel = min(6, width // 2)
    calibration = EspiritCalib(
        kspace.detach().cpu().numpy(), calib_width=width, kernel_width=kernel, crop=0, show_pbar=False
    )
    return torch.from_numpy(np.ascontiguousarray(calibration.run())).to(kspace.device, kspace.dtype)
