"""Make the bundled demo scan from the test data of PyQMRI.

Get the source once with ``pip download --no-deps --no-binary :all: --no-build-isolation pyqmri==1.3.0`` (numpy, cython,
wheel and setuptools<81 must be installed), unpack it, and run::

    python tools/make_demo_scan.py pyqmri-1.3.0/test/VFA_cart_smalltest.h5

k-space is rounded to multiples of 2**-10, a tenth of its noise, so that ordinary gzip stores 13 coils in little room.
"""

from __future__ import annotations

import sys
from pathlib import Path

import h5py
import numpy as np
from make_validation_scans import AXES, write

from napari_pogmdm.data.sources import DEMO_FILE

FLIP_ANGLE = 2
STEP = 2.0**-10


def main(source: Path, target: Path) -> None:
    """Read one flip angle from ``source`` and write it to ``target`` in the fastMRI layout."""
    with h5py.File(source) as file:
        raw = file["real_dat"][FLIP_ANGLE, :, 0] + 1j * file["imag_dat"][FLIP_ANGLE, :, 0]
        degrees = float(np.rad2deg(file.attrs["flip_angle(s)"][FLIP_ANGLE]))
    coil_images = np.fft.ifftn(raw, axes=AXES, norm="ortho")
    coil_images /= np.percentile(np.sqrt((np.abs(coil_images) ** 2).sum(axis=0)), 99.5)
    kspace = np.fft.fftshift(np.fft.fftn(np.fft.ifftshift(coil_images, axes=AXES), axes=AXES, norm="ortho"), axes=AXES)
    kspace = np.round(kspace / STEP) * STEP
    write(target, kspace, f"spoiled gradient echo, flip angle {degrees:.0f} degrees")


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent / "src" / "napari_pogmdm" / "data" / "demo"
    main(Path(sys.argv[1]), here / DEMO_FILE)
