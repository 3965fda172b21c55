"""Raw data that this program does not read: what they are, and how to convert them."""

from __future__ import annotations

from pathlib import Path

from napari_pogmdm.errors import InputError

_CONVERTERS = "the converters of the ISMRMRD project"
_BY_ENDING = {
    ".7": ("raw data of GE (a P-file)", f"convert it with ge_to_ismrmrd, one of {_CONVERTERS}"),
    ".raw": (
        "raw data of Philips",
        f"convert it, with its .lab and .sin files, with philips_to_ismrmrd, one of {_CONVERTERS}",
    ),
    ".lab": ("the labels of Philips' raw data", f"convert it with philips_to_ismrmrd, one of {_CONVERTERS}"),
    ".sin": ("the parameters of Philips' raw data", f"convert it with philips_to_ismrmrd, one of {_CONVERTERS}"),
    ".list": (
        "exported raw data of Philips",
        "read it with MRecon or a NumPy script, and save k-space with numpy.save",
    ),
    ".data": (
        "exported raw data of Philips",
        "read it with MRecon or a NumPy script, and save k-space with numpy.save",
    ),
    ".par": (
        "images of Philips",
        "convert it to NIfTI with dcm2niix or nibabel's parrec2nii; a scan is then simulated from it",
    ),
    ".rec": (
        "images of Philips",
        "convert it to NIfTI with dcm2niix or nibabel's parrec2nii; a scan is then simulated from it",
    ),
    ".fid": ("raw data of Bruker or Varian", f"convert it with bruker_to_ismrmrd, one of {_CONVERTERS}"),
    ".job0": ("raw data of Bruker", f"convert it with bruker_to_ismrmrd, one of {_CONVERTERS}"),
    ".mat": (
        "a MATLAB file",
        "load it with scipy.io.loadmat (or h5py from version 7.3 on) and save k-space with numpy.save",
    ),
    ".rda": ("Siemens spectroscopy", "spectra are not images; give the twix file of an imaging scan"),
    ".ima": ("an image of Siemens", "give the folder of DICOM files; a scan is then simulated from it"),
    ".mrd": ("a stream of MRD, and not an HDF5 file", "convert it to HDF5 with mrd_stream_to_hdf5 of the mrd tools"),
    ".seq": ("a Pulseq sequence, which holds no samples", "give the raw data that the scanner wrote"),
    ".tif": ("a picture", "convert it to .npy or NIfTI; a scan is then simulated from it"),
    ".tiff": ("a picture", "convert it to .npy or NIfTI; a scan is then simulated from it"),
    ".png": ("a picture", "open it in the window and simulate a scan from its layer"),
    ".jpg": ("a picture", "open it in the window and simulate a scan from its layer"),
    ".gz": ("packed", "unpack it first"),
    ".zip": ("packed", "unpack it first"),
    ".safetensors": ("the weights of a model", "give them with --model"),
}
_BRUKER = {"fid", "ser", "2dseq", "acqp", "method"}

READABLE = "fastMRI and ISMRMRD (.h5, .mrd), Siemens twix (.dat), BART (.cfl), NumPy (.npy, .npz), NIfTI and DICOM"
"""Kinds of files that can be opened, for people."""


def is_foreign_folder(path: Path) -> bool:
    """Tell whether a folder holds raw data of Bruker."""
    return path.is_dir() and any((path / name).is_file() for name in _BRUKER)


def refuse_foreign(path: Path) -> InputError:
    """Make the sentence about a file of a kind that cannot be read."""
    ending = ".fid" if path.name in _BRUKER or is_foreign_folder(path) else path.suffix.lower()
    kind = _BY_ENDING.get(ending, ("", ""))
    if kind[0]:
        return InputError(f"{path.name}: is {kind[0]}, which this program does not read; {kind[1]}.")
    return InputError(f"{path.name}: is of a kind that this program does not read; give {READABLE}.")
