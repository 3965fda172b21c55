"""Recorded runs come back from their files, and broken files end in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.runs.recording import Recording
from napari_pogmdm.runs.recording_reader import read_recording
from napari_pogmdm.runs.recording_writer import write_recording
from napari_pogmdm.runs.status import COLUMNS
from runs.recorded_run import SHAPE, recorded


def test_a_recording_comes_back_from_its_file(tmp_path):
    recorder = recorded()
    recorder.finish({"method": "pogmdm"})
    written = recorder.save(tmp_path / "run.pogmdm.h5")
    read = read_recording(tmp_path / "run.pogmdm.h5")
    assert read.facts == written.facts
    assert read.facts.record == {"method": "pogmdm"}
    np.testing.assert_array_equal(read.trace[:, COLUMNS.index("psnr")], 30 + np.arange(9))
    for role in ("image", "reference", "coil phase", "error"):
        np.testing.assert_array_equal(read.picture(role, 5), written.picture(role, 5))
    np.testing.assert_allclose(
        read.picture("error", 5), np.abs(read.picture("image", 5) - read.picture("reference", 5))
    )


def damaged(path: Path, change: Callable[[h5py.File], None]) -> Path:
    recorded().save(path)
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def _facts(**changes: object) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        facts = {**json.loads(file["facts"][()]), **changes}
        del file["facts"]
        file["facts"] = json.dumps(facts)

    return change


def _track(**changes: object) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        tracks = json.loads(file["facts"][()])["tracks"]
        tracks["image"] |= changes
        _facts(tracks=tracks)(file)

    return change


def _replace(name: str, make: Callable[[h5py.File], object]) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        del file[name]
        made = make(file)
        if made is not None:
            file[name] = made

    return change


def _claims_much(file: h5py.File) -> None:
    del file["trace"]
    file.create_dataset("trace", (10**9, len(COLUMNS)), "f8", chunks=(1000, len(COLUMNS)), compression="gzip")


def _unpacked(file: h5py.File) -> None:
    del file["tracks/image/pictures"]
    file.create_dataset("tracks/image/pictures", (9, *SHAPE), "u1")


def _missing_picture(file: h5py.File) -> None:
    del file["tracks/image/pictures"]
    file.create_dataset(
        "tracks/image/pictures", (9, *SHAPE), "u1", chunks=(1, *SHAPE), compression="gzip", shuffle=True
    )


BROKEN = {
    "another version": (lambda file: file.attrs.modify("version", 7), "has version 7 .* reads version 1"),
    "no version": (lambda file: file.attrs.pop("version"), "does not say which version"),
    "another kind": (
        lambda file: file.attrs.modify("format", "x"),
        "no recorded run; scans are opened in the Data dock",
    ),
    "no facts": (_replace("facts", lambda file: None), "does not say how the run was set up"),
    "facts are no JSON": (_replace("facts", lambda file: "{"), "not laid out like a recorded run"),
    "unknown setting": (_facts(settings={"x": 1}), "unknown name 'x'"),
    "absurd matrix": (_facts(whole=[10**9, 10**9]), "not laid out"),
    "no number": (_facts(white=None), "not laid out"),
    "absurd picture": (_track(shape=[4096, 10**8]), "image has an absurd size"),
    "many pixels": (_track(shape=[10**5, 10**5]), "image has an absurd size"),
    "wrong picture": (_track(shape=[21, 17]), "pictures of image are not laid out"),
    "no range": (_track(low=1.0, high=1.0), "not a finite range"),
    "absurd trace": (_claims_much, r"trace: claims 88 GB"),
    "trace beyond its end": (_replace("moments", lambda file: np.arange(5, 14)), "do not fit together"),
    "no frames": (_replace("moments", lambda file: np.zeros(0, np.int32)), "do not fit together"),
    "soft link": (_replace("trace", lambda file: h5py.SoftLink("/moments")), "trace is a link"),
    "external link": (_replace("trace", lambda file: h5py.ExternalLink("other.h5", "/x")), "trace is a link"),
    "linked track": (_replace("tracks/image", lambda file: h5py.ExternalLink("other.h5", "/x")), "refused"),
    "unpacked": (_unpacked, "pictures of image are not laid out"),
    "picture missing": (_missing_picture, "picture of image is missing"),
    "frames disagree": (_replace("tracks/image/which", lambda file: np.zeros(3, np.int32)), "not laid out"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_files_end_in_one_sentence(tmp_path, kind):
    change, sentence = BROKEN[kind]
    path = damaged(tmp_path / "run.pogmdm.h5", change)
    with pytest.raises(InputError, match=sentence) as caught:
        read_recording(path)
    assert str(caught.value).startswith("run.pogmdm.h5: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_truncated_files_are_refused(tmp_path, share):
    path = tmp_path / "run.pogmdm.h5"
    recorded().save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(InputError, match="damaged or cut short"):
        read_recording(path)


def test_a_damaged_picture_is_noticed_when_it_is_shown(tmp_path):
    recording = recorded().recording("run")
    track = recording.tracks["image"]
    broken = Recording(
        "run", recording.facts, recording.trace, recording.moments, {"image": _with_block(track, b"\x78\x9c\xff\x00")}
    )
    write_recording(broken, tmp_path / "run.pogmdm.h5")
    with pytest.raises(InputError, match="a picture is damaged"):
        read_recording(tmp_path / "run.pogmdm.h5").picture("image", 0)


def _with_block(track, block):
    return replace(track, blocks=(block, *track.blocks[1:]))
