"""Opening a scan by name: a file of any kind that can be read, or one of those that need none (`BundledScan`)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import h5py

from napari_pogmdm.data.acquisition import Origin, Scan
from napari_pogmdm.data.arrays.array_scan import ArrayScan
from napari_pogmdm.data.arrays.cfl import open_cfl, with_ending
from napari_pogmdm.data.arrays.numpy_file import holds_complex, open_numpy
from napari_pogmdm.data.bundled import BundledScan
from napari_pogmdm.data.fastmri import FastMRIScan, open_fastmri
from napari_pogmdm.data.hdf5 import open_hdf5
from napari_pogmdm.data.images import looks_like_dicom
from napari_pogmdm.data.pictures.image_scan import open_array_images, open_dicom, open_nifti
from napari_pogmdm.data.raw.foreign import is_foreign_folder, refuse_foreign
from napari_pogmdm.data.raw.ismrmrd import is_ismrmrd, open_ismrmrd
from napari_pogmdm.data.raw.lines import CancelCheck, Progress
from napari_pogmdm.data.raw.scan import open_raw
from napari_pogmdm.data.raw.twix import looks_like_twix, open_twix
from napari_pogmdm.data.reading import ReadOptions
from napari_pogmdm.data.simulate import phantom_scan
from napari_pogmdm.errors import InputError

DEMO_FILE = "head_13_coils.h5"
RADIAL_DEMO_FILE = "brain_64_spokes.npz"
_HDF5 = {".h5", ".hdf5", ".mrd"}
_IN_FOLDERS = (*sorted(_HDF5), ".dat", ".cfl", ".npy", ".npz", ".nii", ".nii.gz")
RESULT_ENDING = "-result.h5"
"""Of results, which lie beside scans at times, and are none."""


def demo_scan() -> FastMRIScan:
    """Open the bundled scan: one slice of a real head, 13 coils, fully sampled (see ``data/demo/NOTICE``)."""
    return replace(open_fastmri(Path(__file__).parent / "demo" / DEMO_FILE), known_as=BundledScan.DEMO.value)


def radial_demo_scan() -> ArrayScan:
    """Open the bundled radial scan: one slice of a real head along 64 spokes, 10 coils (see ``data/demo/NOTICE``)."""
    path = Path(__file__).parent / "demo" / RADIAL_DEMO_FILE
    return replace(open_numpy(path, ReadOptions()), known_as=BundledScan.RADIAL_DEMO.value)


def open_scan(
    source: str | Path,
    *,
    axes: str = "",
    key: str = "",
    trajectory: str | Path = "",
    matrix: str = "",
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Scan:
    """Open a scan; its slices are read when they are asked for.

    Parameters
    ----------
    source
        ``"demo"``, ``"radial-demo"``, ``"phantom"``, or the path of a file: fastMRI or ISMRMRD (HDF5), Siemens twix,
        BART, or NumPy; from NIfTI, DICOM and real NumPy images, a scan is simulated.
    axes
        Names of an array's axes, such as "coils,rows,columns", for NumPy and BART files.
    key
        Which array of an ``.npz`` file holds k-space.
    trajectory
        File with the positions of the samples, for NumPy and BART files.
    matrix
        Size of the image for samples along a trajectory, such as "256" or "256x192".
    progress
        Called with the share of a raw file that is indexed, from 0 to 1.
    cancelled
        Called while a raw file is indexed; returns whether to stop.
    """
    if source == BundledScan.DEMO:
        return demo_scan()
    if source == BundledScan.RADIAL_DEMO:
        return radial_demo_scan()
    if source == BundledScan.PHANTOM:
        scan = phantom_scan()
        return replace(
            scan, slices=tuple(replace(one, origin=Origin(BundledScan.PHANTOM.value, i)) for i, one in enumerate(scan))
        )
    path = Path(source)
    try:
        path.exists()
    except OSError as error:  # such as a name that is too long, of which its beginning will do
        raise InputError(f"{str(path)[:80]}: cannot be read ({error.strerror}).") from error
    options = ReadOptions(axes, key, str(trajectory) if trajectory else "", matrix)
    if path.suffix in {".cfl", ".hdr"} or (path.suffix == "" and with_ending(path, ".hdr").is_file()):
        return open_cfl(path, options)
    if path.suffix in {".npy", ".npz"} and path.is_file():
        return open_numpy(path, options) if holds_complex(path) else open_array_images(path)
    if options.to_dict():
        raise InputError(f"{path.name}: describes its own layout; --{next(iter(options.to_dict()))} is for arrays.")
    return _open_described(path, progress, cancelled)


def _open_described(path: Path, progress: Progress | None, cancelled: CancelCheck | None) -> Scan:
    """Open a file that says itself what it holds."""
    if path.name.endswith((".nii", ".nii.gz")) and path.is_file():
        return open_nifti(path)
    if path.is_dir() and any(looks_like_dicom(file) for file in path.iterdir() if file.is_file()):
        return open_dicom(path)
    if path.is_file() and not h5py.is_hdf5(path):
        if looks_like_dicom(path):
            return open_dicom(path)
        if path.suffix.lower() == ".dat" or (path.suffix not in _HDF5 and looks_like_twix(path)):
            return open_raw(path, open_twix(path, progress, cancelled))
        if path.suffix not in {".h5", ".hdf5"}:
            raise refuse_foreign(path)
    elif path.exists() and path.suffix not in _HDF5 and not (path.is_dir() and not is_foreign_folder(path)):
        raise refuse_foreign(path)
    with open_hdf5(path) as file:
        raw = "kspace" not in file and is_ismrmrd(file)
    return open_raw(path, open_ismrmrd(path, progress, cancelled)) if raw else open_fastmri(path)


def scans_in(folder: Path) -> list[Path]:
    """List the files of a folder that may be scans, by name."""
    found = [path for path in sorted(folder.iterdir()) if path.name.lower().endswith(_IN_FOLDERS) and path.is_file()]
    scans = [path for path in found if not path.name.endswith(RESULT_ENDING)]
    if not scans:
        raise InputError(f"{folder}: holds no scans ({', '.join(_IN_FOLDERS)}); choose another folder.")
    return scans
