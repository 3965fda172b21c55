"""Write the scans that presets are tuned on and intervals judged on, in fastMRI's layout.

    python tools/make_validation_scans.py VOLUMES OUT             # VOLUMES: what `training-data fetch` wrote
    python tools/make_validation_scans.py VOLUMES OUT --judged    # from test slices, for what is fitted on the others
    python tools/make_validation_scans.py --measured KSPACE.npz OUT
    python tools/make_validation_scans.py --volume VOLUME OUT --slice 60 --coils 8 --noise 0.004 [--size 224] [--wrap]

The first two write scans whose coils, matrix, contrast, noise and field of view differ. The third takes k-space
(repetitions, coils, rows, columns), centred and orthonormal, under the key `kspace`. The last simulates one scan from
any volume that training reads. References are root-sum-of-squares images of the complete, noisy coils, as a scanner's
are. On the same kind of processor the same bits come out every time.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.acquisition import Header
from napari_pogmdm.data.header import write_header
from napari_pogmdm.data.images import read_volume
from napari_pogmdm.data.phantom import smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.training.volumes.slices import load_slices

AXES = (-2, -1)
KEPT_FIELD = 5 / 8  # of the columns, where the field of view wraps: a head reaches over its border
SEED = 1  # of the phase and the noise


@dataclass(frozen=True)
class Simulated:
    """A scan to simulate: volume, place among its validation or test slices, and how it is scanned."""

    volume: str
    place: int
    size: int
    coils: int
    noise: float
    wraps: bool = False


VALIDATION = {
    "sim-t1": Simulated("brain-t1.nii.gz", 4, 256, 8, 0.010),
    "sim-knee": Simulated("knee.npz", 0, 256, 12, 0.015),
    "sim-pd": Simulated("brain-pd.npz", 0, 96, 16, 0.010),
    "sim-low": Simulated("brain-t1.nii.gz", 0, 96, 16, 0.003),
    "sim-head": Simulated("brain-t1.nii.gz", 2, 160, 8, 0.006),
    "sim-joint": Simulated("knee.npz", 1, 160, 8, 0.012),
    "sim-wrap": Simulated("brain-t1.nii.gz", 7, 192, 8, 0.006, wraps=True),
    "sim-t2": Simulated("brain-t2.npz", 1, 112, 16, 0.003),
    "sim-flair": Simulated("brain-four-contrasts.npz/flair", 0, 128, 12, 0.004),
    "sim-contrast": Simulated("brain-t1-contrast.npz", 2, 128, 12, 0.010),
    "sim-t1-small": Simulated("brain-t1.nii.gz", 5, 112, 8, 0.006),
    "sim-t1c": Simulated("brain-four-contrasts.npz/t1c", 0, 112, 8, 0.004),
    "sim-flair-noisy": Simulated("brain-four-contrasts.npz/flair", 1, 96, 8, 0.010),
    "sim-knee-clean": Simulated("knee.npz", 8, 128, 8, 0.005),
}
JUDGED = {
    "test-t1": Simulated("brain-t1.nii.gz", 4, 192, 8, 0.004),
    "test-knee": Simulated("knee.npz", 2, 160, 8, 0.008),
    "test-pd": Simulated("brain-pd.npz", 1, 128, 12, 0.006),
    "test-low": Simulated("brain-t1.nii.gz", 16, 96, 16, 0.003),
    "test-wrap": Simulated("brain-t1.nii.gz", 10, 192, 8, 0.006, wraps=True),
}


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


def folded(images: NDArray[np.complexfloating]) -> NDArray[np.complexfloating]:
    """Cut the field of view: columns that are the new width apart add up, and the middle stays in the middle."""
    have = images.shape[-1]
    width = 2 * round(have * KEPT_FIELD / 2)
    before = (width // 2 - have // 2) % width
    wide = np.pad(images, [(0, 0), (0, 0), (before, -(before + have) % width)])
    return wide.reshape(*images.shape[:-1], -1, width).sum(axis=-2)


def simulated(image: NDArray[np.floating], coils: int, noise: float, *, wraps: bool) -> NDArray[np.complexfloating]:
    """Scan an image that has a smooth phase; gives k-space (coils, rows, columns)."""
    generator = np.random.default_rng(SEED)
    clean = image * np.exp(1j * smooth_phase(image.shape, generator))
    if not wraps:
        return simulate_scan(clean, coils=coils, noise=noise, seed=SEED).kspace
    images = folded(to_image(simulate_scan(clean, coils=coils, noise=0.0).kspace))
    kspace = np.fft.fftshift(np.fft.fftn(np.fft.ifftshift(images, axes=AXES), axes=AXES, norm="ortho"), axes=AXES)
    drawn = generator.normal(0, noise, (2, *kspace.shape))
    return kspace + drawn[0] + 1j * drawn[1]


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
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--judged", action="store_true")
    kinds.add_argument("--measured", action="store_true")
    kinds.add_argument("--volume", action="store_true")
    parser.add_argument("--slice", type=int, default=0)
    parser.add_argument("--size", type=int, help="rows and columns; those of the volume unless given")
    parser.add_argument("--coils", type=int, default=8)
    parser.add_argument("--noise", type=float, default=0.01)
    parser.add_argument("--wrap", action="store_true", help="let the field of view wrap")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.measured:
        with np.load(options.source) as arrays:
            write(options.out / f"{options.source.stem}.h5", arrays["kspace"][0], "measured")
        return
    if options.volume:
        image = read_volume(options.source)[options.slice]
        image = image if options.size is None else resized(image, options.size)
        name = options.source.name.split(".")[0] + ("-wrap" if options.wrap else "")
        kspace = simulated(image, options.coils, options.noise, wraps=options.wrap)
        write(options.out / f"{name}.h5", kspace, f"simulated from {options.source.name}")
        return
    slices = {
        volume.name: volume.test if options.judged else volume.validation for volume in load_slices(options.source)
    }
    for name, one in (JUDGED if options.judged else VALIDATION).items():
        image = resized(slices[one.volume][one.place], one.size)
        kspace = simulated(image, one.coils, one.noise, wraps=one.wraps)
        write(options.out / f"{name}.h5", kspace, f"simulated from {one.volume}")


if __name__ == "__main__":
    main()
