"""Recorded runs: what is stored comes back, within the bound, and broken files end in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.recording import Coding, Recording, Scene
from napari_pogmdm.runs.recording_reader import read_recording
from napari_pogmdm.runs.recording_writer import Recorder, codings, write_recording
from napari_pogmdm.runs.status import COLUMNS

SHAPE = (20, 17)


def scene() -> Scene:
    return Scene(
        source="a scan",
        mask="cartesian",
        model="flf-tc",
        whole=SHAPE,
        pixel=(1.0, 2.0),
        white=0.8,
        steps=9,
        plan=("denoise", "data", "coils"),
        chains=1,
        settings=preset("default").to_dict(),
    )


def row(iteration: int) -> list[float]:
    return [0, iteration, 0, 0.1, 30 + iteration, 0.9, 0.01, 0.02, 0.0, 0.9, 1.1]


def recorded(frames: int = 9, **options: int) -> Recorder:
    random = np.random.default_rng(1)
    recorder = Recorder(scene(), peak=1.0, **options)
    recorder.still("reference", random.random(SHAPE, dtype=np.float32))
    for iteration in range(frames):
        pictures = {
            "image": random.random(SHAPE, dtype=np.float32),
            "coil phase": random.uniform(-3, 3, (2, *SHAPE)).astype(np.float32),
        }
        recorder.add(row(iteration), pictures)
    return recorder


@pytest.mark.parametrize("levels", [255, 4095])
def test_pictures_come_back_to_half_a_level(levels):
    coding = Coding(-1.0, 2.0, levels)
    picture = np.linspace(-1, 2, 20 * 17, dtype=np.float32).reshape(20, 17)
    back = coding.decode(coding.encode(picture), picture.shape)
    assert np.abs(back - picture).max() <= 0.5001 * 3 / levels


def test_what_lies_outside_is_stored_as_the_nearer_limit():
    coding = Coding(0.0, 1.0)
    back = coding.decode(coding.encode(np.array([[-5.0, 9.0, np.nan]])), (1, 3))
    np.testing.assert_allclose(back, [[0.0, 1.0, 0.0]])


def test_thinned_pictures_are_interpolated_and_angles_go_the_short_way_round():
    ramp = np.broadcast_to(np.linspace(-4, 4, 31, dtype=np.float32), (2, 10, 31))
    angle = np.angle(np.exp(1j * ramp)).astype(np.float32)
    coding = codings(1.0)["coil phase"]
    back = coding.decode(coding.encode(angle), angle.shape)
    assert np.abs(np.exp(1j * back) - np.exp(1j * angle)).max() < 0.03


def test_a_recording_comes_back_from_its_file(tmp_path):
    recorder = recorded()
    recorder.finish({"method": "pogmdm"})
    written = recorder.save(tmp_path / "run.pogmdm.h5")
    read = read_recording(tmp_path / "run.pogmdm.h5")
    assert read.scene == written.scene
    assert read.scene.record == {"method": "pogmdm"}
    np.testing.assert_array_equal(read.trace[:, COLUMNS.index("psnr")], 30 + np.arange(9))
    for role in ("image", "reference", "coil phase", "error"):
        np.testing.assert_array_equal(read.picture(role, 5), written.picture(role, 5))
    np.testing.assert_allclose(
        read.picture("error", 5), np.abs(read.picture("image", 5) - read.picture("reference", 5))
    )


def test_plain_hdf5_readers_see_the_numbers(tmp_path):
    recorded().save(tmp_path / "run.pogmdm.h5")
    with h5py.File(tmp_path / "run.pogmdm.h5") as file:
        numbers = file["tracks/reference/pictures"][0]
    expected = read_recording(tmp_path / "run.pogmdm.h5").picture("reference", 0)
    np.testing.assert_allclose(numbers * (1.2 / 4095), expected, atol=1e-6)


def test_coil_maps_are_kept_with_every_fourth_frame_and_the_last():
    recorder = recorded(7)
    recorder.add(row(7), {"coil phase": np.zeros((2, *SHAPE), np.float32)}, last=True)
    assert recorder.recording("run").tracks["coil phase"].which.tolist() == [0, 0, 0, 0, 1, 1, 1, 2]


def test_equal_pictures_are_stored_once():
    recorder = Recorder(scene(), 1.0)
    for iteration in range(5):
        recorder.add(row(iteration), {"mean": np.full(SHAPE, 0.5, np.float32)})
    assert len(recorder.recording("run").tracks["mean"].blocks) == 1


@pytest.mark.parametrize("limit", [100_000, 150_000, 400_000])
def test_a_recording_never_outgrows_its_bound_and_still_covers_the_run(tmp_path, limit):
    recorder = recorded(600, limit=limit)
    recording = recorder.save(tmp_path / "run.pogmdm.h5")
    assert (tmp_path / "run.pogmdm.h5").stat().st_size <= recorder.size <= limit
    iterations = recording.trace[recording.moments, 1]
    assert iterations[0] == 0
    assert iterations[-1] == 599
    gaps = np.diff(iterations)[:-1]
    assert gaps.min() == gaps.max()
    assert len(recording) > limit / 5_000


def test_a_bound_that_holds_no_frame_is_refused():
    recorder = Recorder(scene(), 1.0, limit=100_000)
    with pytest.raises(InputError, match=r"0\.1 MB is too little for one frame"):
        recorder.add(row(0), {"image": np.random.default_rng(0).random((600, 600), dtype=np.float32)})


def test_nothing_recorded_is_said(tmp_path):
    with pytest.raises(InputError, match="nothing has been recorded"):
        Recorder(scene(), 1.0).save(tmp_path / "run.pogmdm.h5")


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"end in \.pogmdm\.h5"):
        recorded(1).save(tmp_path / "run.h5")


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
    "absurd trace": (_claims_much, r"trace has an absurd size \(1000000000, 11\)"),
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
        "run", recording.scene, recording.trace, recording.moments, {"image": _with_block(track, b"\x78\x9c\xff\x00")}
    )
    write_recording(broken, tmp_path / "run.pogmdm.h5")
    with pytest.raises(InputError, match="a picture is damaged"):
        read_recording(tmp_path / "run.pogmdm.h5").picture("image", 0)


def test_a_picture_that_unpacks_to_more_than_it_claims_takes_no_more_memory():
    coding = Coding(0.0, 1.0)
    bomb = coding.encode(np.zeros((5000, 5000), np.float32))
    assert coding.decode(bomb, (4, 4)).shape == (4, 4)


def _with_block(track, block):
    from dataclasses import replace

    return replace(track, blocks=(block, *track.blocks[1:]))
