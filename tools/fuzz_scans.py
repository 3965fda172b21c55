"""Scans and results that ``convert`` takes: a small sound file of every kind, and ways to damage its headers."""

from __future__ import annotations

import gzip
import io
import random
import struct
import sys
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any

import fuzz_damage as damage
import h5py
import numpy as np
from fuzz_readers import (
    Reader,
    damaged_gzip,
    damaged_hdf5,
    dicom_file,
    fastmri_file,
    nifti_file,
    npy_file,
    small_request,
    small_scan,
)

from napari_pogmdm.cli.conversion import converted
from napari_pogmdm.cli.options.scan import ScanOptions
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.recon.methods import reconstruct

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))  # whose writers of raw files are used

COUNTERS = struct.calcsize("<II") + 64  # bytes of a readout's header in which lengths, flags, sizes and counters stand
PROTOCOL = 12_000  # bytes of the protocol in the files of the tests


def _readouts() -> list[Any]:
    from data.raw.raw_scans import head, lines_of, oversampled, to_kspace

    return lines_of(to_kspace(oversampled(head())))


@cache
def _twix(version: str) -> bytes:
    from data.raw.twix_files import measurement, write_twix

    with tempfile.TemporaryDirectory() as folder:
        return write_twix(Path(folder) / "a.dat", [measurement(_readouts(), version)], version).read_bytes()


def damaged_twix(version: str, content: bytes, rng: random.Random) -> bytes:
    """Damage the header of a readout, the protocol, or any bytes."""
    if rng.random() < 0.5:
        return damage.damaged_bytes(content, rng)
    changed = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        place = _place_in_twix(version, rng)
        word = struct.pack("<Q", rng.choice(damage.WORDS))[: rng.choice((1, 2, 4, 8))]
        changed[place : place + len(word)] = word
    return bytes(changed)


def _place_in_twix(version: str, rng: random.Random) -> int:
    """Choose a byte of a readout's header, or of the protocol's texts."""
    from data.raw.raw_scans import COILS, COLUMNS, ROWS

    start, header, coil = (0, 0, 128) if version == "vb" else (10_240, 192, 32)
    length = header + COILS * (coil + 8 * 2 * ROWS)
    if rng.random() < 0.2:
        return start + rng.randrange(1024)
    first = start + PROTOCOL + (0 if version == "vb" else 256)  # after a block of the scanner's own
    return first + rng.randrange(COLUMNS) * length + rng.randrange(COUNTERS)


@cache
def _ismrmrd() -> bytes:
    from data.raw.raw_scans import write_ismrmrd

    with tempfile.TemporaryDirectory() as folder:
        return write_ismrmrd(Path(folder) / "a.h5", _readouts()).read_bytes()


@cache
def _packed_ismrmrd() -> bytes:
    """Write the same with a compressed table."""
    stream = io.BytesIO()
    with h5py.File(io.BytesIO(_ismrmrd())) as plain, h5py.File(stream, "w") as file:
        table = plain["dataset/data"]
        options = {"chunks": (8,), "compression": "gzip", "shuffle": True}
        file.create_dataset("dataset/data", data=table[()], dtype=table.dtype, maxshape=(None,), **options)
        plain.copy("dataset/xml", file["dataset"])
    return stream.getvalue()


def damaged_ismrmrd(content: bytes, rng: random.Random) -> bytes:
    """Damage the header of a readout, the length of its samples, the text that describes the scan, or the file."""
    if rng.random() < 0.4:
        return damaged_hdf5(content, rng)
    stream = io.BytesIO(content)
    with h5py.File(stream, "r+") as file:
        group = file["dataset"]
        if rng.random() < 0.3:
            text = damage.damaged_bytes(group["xml"][0], rng)
            del group["xml"]
            group.create_dataset("xml", data=np.array([text.replace(b"\0", b"")], dtype=object),
                                 dtype=h5py.string_dtype())  # fmt: skip
            return _closed(file, stream)
        number = rng.randrange(len(group["data"]))
        row = group["data"][number]
        if rng.random() < 0.2:
            row["data"] = np.resize(row["data"], rng.choice((0, 1, 7, len(row["data"]) * 2)))
        else:
            place = rng.choice(row["head"].dtype.names)
            _overwrite(row["head"], place, rng)
        group["data"][number] = row
        return _closed(file, stream)


def _overwrite(record: Any, name: str, rng: random.Random) -> None:
    kind = record.dtype[name]
    if kind.names:
        _overwrite(record[name], rng.choice(kind.names), rng)
    elif kind.base.kind == "f":
        record[name] = rng.choice((np.nan, np.inf, 0, -1, 1e38))
    else:
        most = int(np.iinfo(kind.base).max)
        record[name] = rng.choice([word for word in damage.WORDS if word <= most])


def _closed(file: h5py.File, stream: io.BytesIO) -> bytes:
    file.close()
    return stream.getvalue()


def _cfl() -> tuple[bytes, bytes]:
    """Write k-space as BART has it: a text with its sizes, and samples by rows, columns, partitions and coils."""
    kspace = np.moveaxis(small_scan().kspace, 0, -1)[:, :, None]
    sizes = " ".join(str(size) for size in (*kspace.shape, *(1,) * 12))
    return f"# Dimensions\n{sizes}\n".encode(), kspace.astype(np.complex64).tobytes(order="F")


def _beside(name: str, content: bytes, folder: Path) -> list[Any]:
    (folder / name).write_bytes(content)
    return _converted("a.cfl", folder)


def damaged_sizes(content: bytes, rng: random.Random) -> bytes:
    """Put something else in the place of a size, or damage the text."""
    if rng.random() < 0.5:
        return damage.damaged_text(content, rng)
    first, sizes, *rest = content.decode().split("\n")
    words = sizes.split()
    words[rng.randrange(len(words))] = rng.choice(("0", "-1", "2", "20", "24", "1e3", "nan", str(2**63), "9" * 400))
    return "\n".join((first, " ".join(words), *rest)).encode()


def _arrays() -> bytes:
    stream = io.BytesIO()
    angle = np.arange(16)[:, None] * np.pi / 16
    radius = np.linspace(-12, 12, 24)[None]
    places = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=-1).astype(np.float32)
    samples = np.random.default_rng(0).normal(size=(2, 16, 24, 2)).astype(np.float32).view(np.complex64)[..., 0]
    np.savez(stream, kspace=samples, trajectory=places)
    return stream.getvalue()


@cache
def _result() -> bytes:
    result = reconstruct(small_request().measurement, "zero-filled")
    with tempfile.TemporaryDirectory() as folder:
        result.save(Path(folder) / "a.h5")
        return (Path(folder) / "a.h5").read_bytes()


def _converted(name: str, folder: Path) -> list[Any]:
    """Write k-space and image of the middle slice as ``convert`` does, and give what can be read of them."""
    scan = open_scan(folder / name)
    slice_ = scan[len(scan) // 2]
    found = [slice_.kspace, slice_.reference]
    (written,) = converted(str(folder / name), folder / "out.npz", "middle", "reconstruction", ScanOptions())
    with np.load(written, allow_pickle=False) as arrays:
        return found + [arrays[key] for key in arrays.files if arrays[key].dtype.kind in "fc"]


def _converted_image(folder: Path) -> list[Any]:
    (written,) = converted(str(folder / "a.h5"), folder / "out.npy", "all", "reconstruction", ScanOptions())
    return [np.load(written, allow_pickle=False)]


def scans() -> list[Reader]:
    """List all kinds of files that ``convert`` takes."""
    sizes, samples = _cfl()
    kspace = small_scan().kspace[None].repeat(2, 0)
    to = lambda name: partial(_converted, name)  # noqa: E731 - a column of the table
    return [
        Reader("ISMRMRD", "a.h5", _ismrmrd, damaged_ismrmrd, to("a.h5")),
        Reader("ISMRMRD, compressed", "a.h5", _packed_ismrmrd, damaged_ismrmrd, to("a.h5")),
        Reader("twix, VB", "a.dat", partial(_twix, "vb"), partial(damaged_twix, "vb"), to("a.dat")),
        Reader("twix, VD", "a.dat", partial(_twix, "vd"), partial(damaged_twix, "vd"), to("a.dat")),
        Reader("BART, .hdr", "a.hdr", lambda: sizes, damaged_sizes, partial(_beside, "a.cfl", samples)),
        Reader("BART, .cfl", "a.cfl", lambda: samples, damage.damaged_bytes, partial(_beside, "a.hdr", sizes)),
        Reader("convert: fastMRI", "a.h5", fastmri_file, damaged_hdf5, to("a.h5")),
        Reader("convert: k-space, .npy", "a.npy", lambda: npy_file(kspace), damage.damaged_npy, to("a.npy")),
        Reader("convert: trajectory, .npz", "a.npz", _arrays, damage.damaged_bytes, to("a.npz")),
        Reader("convert: images, .nii.gz", "a.nii.gz", lambda: gzip.compress(nifti_file()), damaged_gzip,
               to("a.nii.gz")),
        Reader("convert: images, DICOM", "series/a.dcm", dicom_file, damage.damaged_bytes, to("series")),
        Reader("convert: result", "a.h5", _result, damaged_hdf5, _converted_image),
    ]  # fmt: skip
