"""Write the scans that presets are tuned on, in fastMRI's layout: simulated from validation slices, or a measured one.

    python tools/make_validation_scans.py VOLUMES OUT             # VOLUMES: what `training-data fetch` wrote
    python tools/make_validation_scans.py --measured KSPACE.npz OUT

The first writes four scans whose coils, matrix, contrast and noise differ. The second takes k-space (repetitions,
coils, rows, columns), centred and orthonormal, under the key `kspace`. References are root-sum-of-squares images of the
complete, noisy coils, as a scanner's are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Header
from napari_pogmdm.data.header import write_header
from napari_pogmdm.data.phantom import smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.training.slices import load_slices

AXES = (-2, -1)
SIMULATED = {
    "sim-t1": ("brain-t1.nii.gz", 4, 256, 8, 0.010),
    "sim-knee": ("knee.npz", 0, 256, 12, 0.015),
    "sim-pd": ("brain-pd.npz", 0, 96, 16, 0.010),
    "sim-low": ("brain-t1.nii.gz", 0, 96, 16, 0.003),
}
"""File: volume, place among its validation slices, matrix, coils, noise."""


def to_image(kspace: NDArray[np.complexfloating]) -> NDArray[np.complexfloating]:
    """Transform centred k-space (..., rows, columns)."""
    shifted = np.fft.ifftshift(kspace, axes=AXES)
    return np.fft.fftshift(np.fft.ifftn(shifted, axes=AXES, norm="ortho"), axes=AXES)


def resized(image: NDArray[np.floating], size: int) -> NDArray[np.floating]:
    """Keep the low frequencies that a square matrix of this size has; smaller images are padded first."""
    pads = [(max(0, size - have) // 2, max(0, size - have) - max(0, size - have) // 2) for have in image.shape]
    spectrum = np.fft.fftshift(np.fft.fftn(np.pad(image, pads)))
    corner = [(have - size) // 2 for have in spectrum.shape]
    kept = spectrum[corner[0] : corner[0] + size, corner[1] : corner[1] + size]
    return np.abs(np.fft.ifftn(np.fft.ifftshift(kept)))


def write(path: Path, kspace: NDArray[np.complexfloating], words: str) -> None:
    """Write one slice (coils, rows, columns) with its root-sum-of-squares image."""
    reference = np.sqrt((np.abs(to_image(kspace)) ** 2).sum(axis=0)).astype(np.float32)
    size = (int(kspace.shape[1]), int(kspace.shape[2]))
    header = Header(encoded_matrix=size, recon_matrix=size, phase_centre=size[1] // 2, phase_last=size[1] - 1)
    with h5py.File(path, "w") as file:
        for name, array in (("kspace", kspace[None].astype(np.complex64)), ("reconstruction_rss", reference[None])):
            chunks = (1,) * (array.ndim - 2) + size
            file.create_dataset(name, data=array, chunks=chunks, shuffle=True, compression="gzip", compression_opts=9)
        file["ismrmrd_header"] = write_header(header)
        file.attrs["acquisition"], file.attrs["max"] = words, reference.max()
        file.attrs["norm"], file.attrs["patient_id"] = np.linalg.norm(reference), ""


def main() -> None:
    """Read the command line and write the scans."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--measured", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.measured:
        with np.load(options.source) as arrays:
            write(options.out / f"{options.source.stem}.h5", arrays["kspace"][0], "measured")
        return
    slices = {volume.name: volume.validation for volume in load_slices(options.source)}
    for name, (volume, place, size, coils, noise) in SIMULATED.items():
        image = resized(slices[volume][place], size)
        phase = smooth_phase(image.shape, np.random.default_rng(1))
        scan = simulate_scan(image * np.exp(1j * phase), coils=coils, noise=noise, seed=1)
        write(options.out / f"{name}.h5", scan.kspace, f"simulated from {volume}")


if __name__ == "__main__":
    main()
