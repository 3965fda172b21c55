"""From a scan to a result file, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from matplotlib.image import imread

from napari_pogmdm.data.simulate import simulated_coils
from napari_pogmdm.recon.method import Method
from napari_pogmdm.runs.as_text import command_line, python_code
from napari_pogmdm.runs.record_file import read_records
from napari_pogmdm.runs.repeat import repeat

METHODS = ", ".join(f"'{method}'" for method in Method)

QUICK = ("--preset", "fast", "--set", "iterations=3", "--acceleration", "2", "--acs", "0.2", "--device", "cpu")


def test_reconstruct_writes_every_slice_with_coils_and_record(run, fastmri_file, tmp_path: Path):
    out_file, png = tmp_path / "out.h5", tmp_path / "panel.png"
    code, out, _ = run(
        "reconstruct", fastmri_file(), "--slice", "all", "--method", "tv", "--acceleration", 2, "--acs", 0.2,
        "--coils", 3, "--seed", 1, "--device", "cpu", "-o", out_file, "--png", png,
    )  # fmt: skip
    assert code == 0
    assert "slice 1: tv PSNR" in out
    with h5py.File(out_file) as file:
        assert file["reconstruction"].shape == (2, 24, 32)
        assert file["coils"].shape == (2, 3, 48, 40)
        record = json.loads(file["record"][()])
        np.testing.assert_allclose(file["reconstruction"][1], 2 * file["reconstruction"][0], rtol=1e-2, atol=1e-2)
    assert [entry["slice"] for entry in record] == [0, 1]
    assert record[0]["mask"]["kind"] == "cartesian"
    assert record[0]["metrics"]["psnr"] > 20
    assert imread(png).std() > 0.05


def test_reconstruct_takes_masks_from_files_and_from_the_scan(run, fastmri_file, tmp_path: Path, small_scan):
    mask = tmp_path / "mask.npy"
    assert run("mask", "--shape", "48x40", "--acceleration", 2, "-o", mask)[0] == 0
    code, out, _ = run(
        "reconstruct", fastmri_file(), "--mask", mask, "--method", "zero-filled", "-o", tmp_path / "a.h5"
    )
    assert code == 0, out
    columns = np.arange(40) % 2 == 0
    scan = fastmri_file("test.h5", kspace=small_scan.kspace[None] * columns, mask=columns, reconstruction_rss=None)
    code, out, _ = run("reconstruct", scan, "--mask", "file", "--method", "cg-sense", "-o", tmp_path / "b.h5",
                       "--png", tmp_path / "b.png")  # fmt: skip
    assert code == 0
    assert "no reference" in out
    assert (tmp_path / "b.png").exists()


def test_an_undersampled_file_keeps_its_own_mask(run, fastmri_file, tmp_path: Path, small_scan):
    columns = np.arange(40) % 2 == 0
    scan = fastmri_file(kspace=small_scan.kspace[None] * columns, mask=columns, reconstruction_rss=None)
    assert run("reconstruct", scan, "--method", "zero-filled", "-o", tmp_path / "o.h5")[0] == 0
    with h5py.File(tmp_path / "o.h5") as file:
        record = json.loads(file["record"][()])[0]
    assert record["mask"]["kind"] == "file"
    assert record["mask"]["acceleration"] == 2


@pytest.mark.slow
def test_a_scan_with_an_odd_name_is_reconstructed_and_drawn(run, fastmri_file, tmp_path: Path):
    code, _, err = run(
        "reconstruct", fastmri_file("a$1_$2[red].h5"), "--method", "zero-filled", "-o", tmp_path / "o.h5",
        "--png", tmp_path / "o.png",
    )  # fmt: skip
    assert code == 0, err


def test_given_coils_are_kept_and_recorded(run, fastmri_file, tmp_path: Path):
    scan, maps = fastmri_file(), tmp_path / "maps.npy"
    np.save(maps, 3 * simulated_coils(4, (48, 40)))
    code, _, err = run("reconstruct", scan, *QUICK, "--coil-maps", maps, "-o", tmp_path / "known.h5")
    assert code == 0, err
    with h5py.File(tmp_path / "known.h5") as file:
        np.testing.assert_allclose(file["coils"][0], simulated_coils(4, (48, 40)), atol=1e-6)
        image = file["reconstruction"][0]
    record = read_records(tmp_path / "known.h5")[0]
    assert record.sampler["coil_start"] == "given"
    assert not record.settings["update_coils"]
    np.testing.assert_array_equal(repeat(record).image, image)
    assert f"--coil-maps {maps}" in command_line(record)
    exec(compile(python_code(record), "script", "exec"), scope := {})
    np.testing.assert_array_equal(scope["result"].image, image)
    options = ("--coil-maps", maps, "--set", "update_coils=true")
    assert run("reconstruct", scan, *QUICK, *options, "-o", tmp_path / "joint.h5")[0] == 0
    with h5py.File(tmp_path / "joint.h5") as file:
        assert np.abs(file["coils"][0] - simulated_coils(4, (48, 40))).max() > 1e-4
    np.save(maps, simulated_coils(4, (48, 40))[::-1])
    code, _, err = run("reconstruct", "--settings", tmp_path / "known.h5", "-o", tmp_path / "again.h5")
    assert code == 2
    assert "no longer holds the coil maps" in err.replace("\n", " ")


def test_bad_coil_maps_are_named(run, fastmri_file, tmp_path: Path):
    scan, maps = fastmri_file(), tmp_path / "maps.npy"
    for array, words in (
        (np.ones((4, 48, 41), np.complex64), "need --coils 0"),
        (np.ones((48, 40), np.complex64), "expected complex maps"),
        (np.full((4, 48, 40), np.nan, np.complex64), "not finite"),
        (np.zeros((4, 48, 40), np.complex64), "all zero"),
    ):
        np.save(maps, array)
        code, _, err = run("reconstruct", scan, *QUICK, "--coil-maps", maps, "-o", tmp_path / "out.h5")
        assert code == 2
        assert words in err.replace("\n", " ")
    maps.write_bytes(b"not maps")
    code, _, err = run("reconstruct", scan, *QUICK, "--coil-maps", maps, "-o", tmp_path / "out.h5")
    assert code == 2
    assert "not a readable NumPy file" in err.replace("\n", " ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--slice", "9"), "no slice 9"),
        (("--slice", "some"), "not a number"),
        (("--mask", "hexagonal"), "unknown kind"),
        (("--mask", "absent.npy"), "no such file"),
        (("--mask", "file"), "has no mask"),
        (("--acceleration", "0.5"), "leaves nothing out"),
        (("--acceleration", "30"), "no more than"),
        (("--acs", "2"), "share of all lines"),
        (("--coils", "-1"), "virtual coils"),
        (("--mask", "m" * 400 + ".npy"), "File name too long"),
    ],
    ids=lambda part: " ".join(part)[:40] if isinstance(part, tuple) else "",
)
def test_bad_input_ends_with_one_sentence_code_two_and_no_file(refuse, options, words):
    refuse(("reconstruct", "{scan}", *options, "-o", "{out}"), words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-o", "{folder}/none/out.h5"), "does not exist"),
        (("-o", "{folder}"), "is a folder"),
        (("-o", "{scan}"), "which the command reads"),
        (("-o", "{out}", "--png", "{out}"), "names the same file as --output"),
        (("-o", "/dev/null"), "not an ordinary file"),
    ],
)
def test_a_result_that_cannot_be_written_is_refused_before_any_work(refuse, options, words):
    refuse(("reconstruct", "{scan}", *options), words)


@pytest.mark.parametrize(
    ("option", "word", "choices"),
    [
        ("--method", "magic", METHODS),
        ("--method", "pogmdm:flf:fast:1:2", METHODS),
        ("--axis", "up", "'columns', 'rows'"),
        ("--device", "abacus", "'auto', 'cpu', 'cuda', 'mps'"),
        ("--preset", "turbo", "'paper', 'default', 'fast', 'posterior', 'paper-tuned'"),
    ],
)
def test_a_name_that_does_not_exist_is_answered_with_those_that_do(misuse, tmp_path, option, word, choices):
    sentence = misuse("reconstruct", "phantom", option, word, "-o", tmp_path / "out.h5")
    assert f"Invalid value for '{option}'" in sentence
    assert f"{word!r} is not one of {choices}." in sentence
    assert not list(tmp_path.iterdir())


def test_an_unwritable_folder_is_named(run, fastmri_file, tmp_path: Path):
    locked = tmp_path / "file.h5" / "out.h5"
    (tmp_path / "file.h5").touch()
    code, _, err = run("reconstruct", fastmri_file("scan.h5"), "-o", locked)
    assert code == 2
    assert "does not exist" in err


def test_without_a_scan_or_a_record_one_is_asked_for(run, tmp_path: Path):
    code, _, err = run("reconstruct", "-o", tmp_path / "out.h5")
    assert code == 2
    assert "name a scan" in err


@pytest.mark.slow
def test_what_the_data_chose_is_said_and_that_they_do_not_fit(run, fastmri_file, tmp_path: Path, small_scan):
    shots = small_scan.kspace.copy()
    shots[..., 1::2] *= np.exp(1j)
    for name, kspace, silent in (("good.h5", small_scan.kspace, True), ("shots.h5", shots, False)):
        scan = fastmri_file(name, kspace=kspace[None], reconstruction_rss=None)
        options = ("--set", "iterations=2", "--acceleration", "2", "--acs", "0.3")
        code, _, err = run("reconstruct", scan, *options, "-o", tmp_path / "out.h5")
        assert code == 0, err
        assert "error on samples left out" in err
        assert ("do not fit the model" not in err) == silent
    code, _, err = run("reconstruct", scan, *options, "--set", "choose=none", "-o", tmp_path / "out.h5")
    assert code == 0, err
    assert "left out" not in err
    code, _, err = run("reconstruct", scan, *options, "--coils", "several", "-o", tmp_path / "out.h5")
    assert code == 2
    assert "several" in err


@pytest.mark.parametrize("kind", ["golden-radial", "radial", "spiral"])
def test_a_complete_scan_is_measured_along_a_trajectory(succeed, fastmri_file, tmp_path: Path, kind: str):
    out = succeed(
        "reconstruct", fastmri_file(), "--trajectory", kind, "--spokes", 24, "--method", "cg-sense", "--device", "cpu",
        "-o", tmp_path / "o.h5", "--png", tmp_path / "o.png",
    )  # fmt: skip
    assert "cg-sense PSNR" in out
    [record] = read_records(tmp_path / "o.h5")
    assert (record.trajectory["kind"], record.mask) == (kind, {})
    with h5py.File(tmp_path / "o.h5") as file:
        assert json.loads(file["record"][()])[0]["metrics"]["psnr"] > 15
    assert imread(tmp_path / "o.png").std() > 0.05


def test_a_run_along_a_trajectory_is_repeated_bit_for_bit(succeed, fastmri_file, tmp_path: Path):
    scan, first, second = fastmri_file(), tmp_path / "first.h5", tmp_path / "second.h5"
    along = ("--trajectory", "golden-radial", "--spokes", 20)
    quick = ("--preset", "fast", "--set", "iterations=3", "--chains", 2, "--seed", 3, "--device", "cpu")
    succeed("reconstruct", scan, *along, *quick, "-o", first)
    with h5py.File(first) as file:
        (tmp_path / "run.json").write_bytes(file["record"][()])
    succeed("reconstruct", scan, "--settings", tmp_path / "run.json", "--device", "cpu", "-o", second)
    with h5py.File(first) as one, h5py.File(second) as other:
        for name in ("reconstruction", "coils", "variance"):
            np.testing.assert_array_equal(one[name][()], other[name][()])
    assert read_records(second)[0].trajectory == read_records(first)[0].trajectory


@pytest.mark.slow
@pytest.mark.parametrize("method", ["zero-filled", "cg-sense"])
def test_the_radial_demo_needs_no_options(succeed, tmp_path: Path, method: str):
    out = succeed("reconstruct", "radial-demo", "--method", method, "--device", "cpu", "-o", tmp_path / "o.h5")
    assert "no reference" in out
    [record] = read_records(tmp_path / "o.h5")
    assert record.trajectory["kind"] == "file"
    with h5py.File(tmp_path / "o.h5") as file:
        assert file["reconstruction"][()].std() > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("reconstruct", "radial-demo", "--mask", "cartesian", "-o", "{out}"), "lies along a trajectory of its own"),
        (("reconstruct", "radial-demo", "--trajectory", "radial", "-o", "{out}"), "along one of its own"),
        (("reconstruct", "{scan}", "--spokes", "9", "-o", "{out}"), "belongs to --trajectory"),
        (("reconstruct", "{scan}", "--trajectory", "zigzag", "-o", "{out}"), "unknown kind 'zigzag'"),
    ],
)
def test_trajectories_that_cannot_be_are_refused(refuse, arguments, words):
    refuse(arguments, words)
