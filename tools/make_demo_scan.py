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

from napari_pogmdm.data.acquisition import Header
from napari_pogmdm.data.header import write_header
from napari_pogmdm.data.sources import DEMO_FILE

FLIP_ANGLE = 2
STEP = 2.0**-10
AXES = (-2, -1)


def main(source: Path, target: Path) -> None:
    """Read one flip angle from ``source`` and write it to ``target`` in the fastMRI layout."""
    with h5py.File(source) as file:
        raw = file["real_dat"][FLIP_ANGLE, :, 0] + 1j * file["imag_dat"][FLIP_ANGLE, :, 0]
        degrees = float(np.rad2deg(file.attrs["flip_angle(s)"][FLIP_ANGLE]))
    coil_images = np.fft.ifftn(raw, axes=AXES, norm="ortho")
    coil_images /= np.percentile(np.sqrt((np.abs(coil_images) ** 2).sum(axis=0)), 99.5)
    kspace = np.fft.fftshift(np.fft.fftn(np.fft.ifftshift(coil_images, axes=AXES), axes=AXES, norm="ortho"), axes=AXES)
    kspace = (np.round(kspace / STEP) * STEP).astype(np.complex64)
    rounded = np.fft.ifftn(np.fft.ifftshift(kspace, axes=AXES), axes=AXES, norm="ortho")
    reference = np.fft.fftshift(np.sqrt((np.abs(rounded) ** 2).sum(axis=0)), axes=AXES).astype(np.float32)
    size = (int(kspace.shape[1]), int(kspace.shape[2]))
    header = Header(encoded_matrix=size, recon_matrix=size, phase_centre=size[1] // 2, phase_last=size[1] - 1)
    with h5py.File(target, "w") as file:
        for name, array in (("kspace", kspace[None]), ("reconstruction_rss", reference[None])):
            chunks = (1,) * (array.ndim - 2) + size
            file.create_dataset(name, data=array, chunks=chunks, shuffle=True, compression="gzip", compression_opts=9)
        file.create_dataset("ismrmrd_header", data=write_header(header))
        file.attrs["acquisition"] = f"spoiled gradient echo, flip angle {degrees:.0f} degrees"
        file.attrs["max"] = reference.max()
        file.attrs["norm"] = np.linalg.norm(reference)
        file.attrs["patient_id"] = ""


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent / "src" / "napari_pogmdm" / "data" / "demo"
    main(Path(sys.argv[1]), here / DEMO_FILE)
