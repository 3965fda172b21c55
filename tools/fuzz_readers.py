"""Every reader of the program with a small sound file of its kind, and ways to damage such a file."""

from __future__ import annotations

import gzip
import io
import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import fuzz_damage as damage
import h5py
import nibabel
import numpy as np
import pydicom
import torch
from PIL import Image
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, generate_uid

from napari_pogmdm.cli.image_files import read_image
from napari_pogmdm.cli.reports.evaluation_rows import _finished
from napari_pogmdm.data.acquisition import Header
from napari_pogmdm.data.fastmri import open_fastmri
from napari_pogmdm.data.header import parse_header, write_header
from napari_pogmdm.data.images import read_volume
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.evaluation.table import Cell, CellJob, run_cell
from napari_pogmdm.gui.docks.tour.lesson_file import parse_lesson, shipped_lessons
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.physics.masks.mask import load_mask
from napari_pogmdm.physics.masks.record import mask_from_record
from napari_pogmdm.prior.configuration import VARIANTS
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.coils.given import load_coil_maps
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.ensemble import run_ensemble
from napari_pogmdm.recon.sampler.preset_file import read_settings
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.request import RunRequest
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampler.state import load_state, save_state
from napari_pogmdm.runs import repeat
from napari_pogmdm.runs.record_file import read_records
from napari_pogmdm.runs.recording_reader import demo_recording, read_recording
from napari_pogmdm.training.checkpoint import FILE_NAME, TrainingState, load_checkpoint, save_checkpoint
from napari_pogmdm.training.settings import TrainingSettings
from napari_pogmdm.training.volumes.slices import SPLIT_FILE, load_slices

Damage = Callable[[bytes, random.Random], bytes]
SHAPE = (24, 20)
_RNG = np.random.default_rng(0)


@dataclass(frozen=True)
class Reader:
    """A reader, and what it reads.

    Attributes
    ----------
    name
        For the table.
    file
        Name of the file below a folder of its own.
    sound
        Makes its bytes.
    damage
        Damages them.
    read
        Reads the folder; gives arrays that must be finite, or anything else.
    """

    name: str
    file: str
    sound: Callable[[], bytes]
    damage: Damage
    read: Callable[[Path], Any]


@cache
def small_scan():
    """Simulate a slice of two coils."""
    return simulate_scan(shepp_logan(SHAPE), coils=2, noise=0.01)


@cache
def small_request() -> RunRequest:
    """Ask for two iterations on it."""
    measurement = undersample(small_scan(), make_mask("cartesian", SHAPE, 2, 0.25), noise_floor=True)
    settings = replace(preset("fast"), iterations=2, choose="none", map_sets=1)
    return RunRequest(measurement, load_prior("flf"), settings, 1, 0)


def _written(write: Callable[[Path], Any], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / name)
        return (Path(folder) / name).read_bytes()


def _hdf5(content: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        file.attrs["acquisition"] = "CORPD_FBK"
        for name, value in content.items():
            chunked = isinstance(value, np.ndarray) and value.ndim > 1
            file.create_dataset(name, data=value, **({"chunks": (1, *value.shape[1:])} if chunked else {}))
    return stream.getvalue()


def fastmri_file() -> bytes:
    """Give two slices as fastMRI has them."""
    header = Header(encoded_matrix=SHAPE, recon_matrix=SHAPE, phase_centre=10, phase_last=19)
    kspace, image = small_scan().kspace[None].repeat(2, 0), np.ones((2, *SHAPE), np.float32)
    return _hdf5({"kspace": kspace, "reconstruction_rss": image, "ismrmrd_header": write_header(header)})


def damaged_hdf5(content: bytes, rng: random.Random) -> bytes:
    """Damage bytes, or put something of another size or kind, or nothing at all, in the place of a dataset."""
    if rng.random() < 0.5:
        return damage.damaged_bytes(content, rng)
    stream = io.BytesIO(content)
    with h5py.File(stream, "r+") as file:
        names: list[str] = []
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        name = rng.choice(names)
        del file[name]
        way = rng.randrange(9)
        if way == 0:
            file[name] = h5py.ExternalLink("/etc/hostname", "/x")
        elif way == 1:
            file[name] = h5py.SoftLink("/nowhere")
        elif way == 2:
            file.create_group(name)
        elif way == 3:
            shape = rng.choice(((2**31, 2, 24, 20), (2, 2**31, 24, 20), (1, 1, 2**16, 2**16), (2**40,), (0, 5, 5, 5)))
            file.create_dataset(name, shape, rng.choice(("c8", "f4")), chunks=None if 0 in shape else (1,) * len(shape))
        elif way == 4:
            file[name] = rng.choice(("text", b"\xff\xfe", 5, np.nan, "[]", "{}", '{"a": 1}'))
        elif way == 5:
            shape = tuple(rng.randrange(1, 9) for _ in range(rng.randrange(5)))
            file[name] = np.full(shape, rng.choice((0, 1, np.nan, np.inf, 1e30, -1)), rng.choice(("c8", "f4", "i8")))
        elif way == 6:
            file.create_dataset(name, (4,), h5py.string_dtype())
        elif way == 7:
            file.create_dataset(name, SHAPE, "f4", external=[("/etc/hostname", 0, h5py.h5f.UNLIMITED)])
    return stream.getvalue()


def npy_file(values: np.ndarray) -> bytes:
    """Give an array as NumPy saves it."""
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def _npz() -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, image=_RNG.random((3, *SHAPE)))
    return stream.getvalue()


def nifti_file() -> bytes:
    """Give a volume of three slices."""
    return nibabel.Nifti1Image(_RNG.random((*SHAPE, 3)).astype(np.float32), np.eye(4)).to_bytes()


def damaged_gzip(content: bytes, rng: random.Random) -> bytes:
    """Damage what is compressed, or the compressed bytes."""
    if rng.random() < 0.5:
        return damage.damaged_bytes(content, rng)
    return gzip.compress(damage.damaged_bytes(gzip.decompress(content), rng))


def _png() -> bytes:
    stream = io.BytesIO()
    Image.fromarray((_RNG.random(SHAPE) * 65535).astype(np.uint16)).save(stream, "PNG")
    return stream.getvalue()


def dicom_file() -> bytes:
    """Give one slice."""
    meta = FileMetaDataset()
    meta.TransferSyntaxUID, meta.MediaStorageSOPClassUID = ExplicitVRLittleEndian, "1.2.840.10008.5.1.4.1.1.4"
    meta.MediaStorageSOPInstanceUID = generate_uid(entropy_srcs=["fuzz"])
    made = FileDataset("x", {}, file_meta=meta, preamble=b"\0" * 128)
    made.Rows, made.Columns, made.BitsAllocated, made.BitsStored, made.HighBit = *SHAPE, 16, 16, 15
    made.SamplesPerPixel, made.PixelRepresentation, made.PhotometricInterpretation = 1, 0, "MONOCHROME2"
    made.InstanceNumber, made.PixelData = "1", (_RNG.random(SHAPE) * 1000).astype(np.uint16).tobytes()
    stream = io.BytesIO()
    pydicom.dcmwrite(stream, made)
    return stream.getvalue()


def _records() -> bytes:
    result = reconstruct(small_request().measurement, model="flf", preset=small_request().settings)
    return json.dumps([result.entry()]).encode()


def _read_all_of_a_record(folder: Path) -> None:
    for one in read_records(folder / "a.json"):
        repeat.slice_of(one), repeat.preparation_of(one), repeat.sampler_of(one), repeat.changes_of(one)
        repeat.files_of(one), mask_from_record(one.mask)
        if one.method == "pogmdm":
            repeat.stop_of(one, SamplerSettings.from_dict(one.settings))


def _read_scan(folder: Path) -> list[Any]:
    opened = open_fastmri(folder / "a.h5")
    slice_ = opened[len(opened) // 2]
    return [slice_.kspace, slice_.reference]


def _read_film(folder: Path) -> list[Any]:
    film = read_recording(folder / "a.pogmdm.h5")
    ends = (0, len(film) - 1)
    return [film.picture(role, frame) for role in film.tracks for frame in ends]


def _store() -> bytes:
    return _written(lambda path: run_ensemble(small_request(), store=path), "a.npz")


def _read_store(folder: Path) -> list[Any]:
    finished, _ = run_ensemble(small_request(), store=folder / "a.npz")
    return [finished.moments.mean, finished.moments.variance]


def _state() -> bytes:
    one = small_request()
    return _written(lambda path: save_state(make_sampler(one.measurement, one.prior, one.settings).start(), path), "a")


def _checkpoint() -> bytes:
    begun = TrainingState.begin(VARIANTS["flf"], TrainingSettings(iterations=5))
    return _written(lambda path: save_checkpoint(begun, path.parent), FILE_NAME)


def _read_weights(folder: Path) -> list[Any]:
    prior = load_prior(folder / "a.safetensors")
    return [prior.score(torch.zeros(32, 32), 0.1)]


def _read_split(folder: Path) -> list[Any]:
    (folder / "volume.npy").write_bytes(npy_file(np.ones((20, *SHAPE), np.float32)))
    return [image for volume in load_slices(folder) for image in volume.train]


@cache
def _cell() -> Cell:
    return Cell("phantom", "C4/8", "zero-filled")


@cache
def _journal() -> tuple[bytes, bytes]:
    done = run_cell(CellJob.of(_cell()), {})
    return json.dumps({**done.row, "image": f"images/{_cell().key}.npy"}).encode(), npy_file(done.image)


def _read_journal(folder: Path) -> list[Any]:
    (folder / "images").mkdir(exist_ok=True)
    if not (folder / "images" / f"{_cell().key}.npy").exists():
        (folder / "images" / f"{_cell().key}.npy").write_bytes(_journal()[1])
    rows = _finished(folder, {_cell().key: _cell()})
    return [np.array([row[name] for name in ("psnr", "ssim", "nmse", "seconds")]) for row in rows.values()]


def _lesson() -> bytes:
    return sorted(shipped_lessons().glob("*.md"))[0].read_bytes()


def _volume(name: str, folder: Path) -> list[Any]:
    return [read_volume(folder / name)]


def readers() -> list[Reader]:
    """List all readers."""
    values, heat = _RNG.random((3, *SHAPE)).astype(np.float32), _RNG.random(SHAPE) > 0.5
    header = write_header(Header(encoded_matrix=SHAPE, recon_matrix=SHAPE, field_strength_tesla=3.0))
    settings = json.dumps(asdict(small_request().settings), default=str).encode()
    film = demo_recording().read_bytes()
    return [
        Reader("scan (fastMRI)", "a.h5", fastmri_file, damaged_hdf5, _read_scan),
        Reader("header of a scan", "a.xml", lambda: header, damage.damaged_bytes,
               lambda folder: parse_header((folder / "a.xml").read_bytes(), "a.xml") and None),
        Reader("recording", "a.pogmdm.h5", lambda: film, damaged_hdf5, _read_film),
        Reader("targets (fastMRI)", "a.h5", fastmri_file, damaged_hdf5, partial(_volume, "a.h5")),
        Reader("volume, .npy", "a.npy", lambda: npy_file(values), damage.damaged_npy, partial(_volume, "a.npy")),
        Reader("volume, .npz", "a.npz", _npz, damage.damaged_bytes, partial(_volume, "a.npz")),
        Reader("volume, .nii", "a.nii", nifti_file, damage.damaged_bytes, partial(_volume, "a.nii")),
        Reader("volume, .nii.gz", "a.nii.gz", lambda: gzip.compress(nifti_file()), damaged_gzip,
               partial(_volume, "a.nii.gz")),
        Reader("volume, DICOM", "series/a.dcm", dicom_file, damage.damaged_bytes, partial(_volume, "series")),
        Reader("image, .png", "a.png", _png, damage.damaged_bytes,
               lambda folder: [read_image(folder / "a.png").values]),
        Reader("mask", "a.npy", lambda: npy_file(heat), damage.damaged_npy,
               lambda folder: [load_mask(folder / "a.npy", SHAPE).samples]),
        Reader("coil maps", "a.npy", lambda: npy_file(values.astype(np.complex64)), damage.damaged_npy,
               lambda folder: [load_coil_maps(folder / "a.npy").values]),
        Reader("record", "a.json", _records, damage.damaged_json, _read_all_of_a_record),
        Reader("settings", "a.json", lambda: settings, damage.damaged_json,
               lambda folder: read_settings(folder / "a.json") and None),
        Reader("weights", "a.safetensors", _weights, damage.damaged_safetensors, _read_weights),
        Reader("checkpoint", FILE_NAME, _checkpoint, damage.damaged_safetensors,
               lambda folder: [*load_checkpoint(folder).parameters.values()]),
        Reader("state of a sampler", "a.safetensors", _state, damage.damaged_safetensors,
               lambda folder: load_state(folder / "a.safetensors") and None),
        Reader("chains to go on from", "a.npz", _store, damage.damaged_bytes, _read_store),
        Reader("rules of a split", SPLIT_FILE, lambda: b'{"volume.npy": {"validation": [[15, 19]], "period": 20}}',
               damage.damaged_json, _read_split),
        Reader("rows of an evaluation", "rows.jsonl", lambda: _journal()[0], damage.damaged_json, _read_journal),
        Reader("lesson", "a.md", _lesson, damage.damaged_text,
               lambda folder: parse_lesson((folder / "a.md").read_text(errors="replace"), folder / "a.md") and None),
    ]  # fmt: skip


def _weights() -> bytes:
    from napari_pogmdm.prior.weights import list_models

    return next(model.path for model in list_models() if model.name == "flf").read_bytes()
