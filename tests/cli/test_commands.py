"""The commands as a user types them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import h5py
import numpy as np
import pytest
from matplotlib.image import imread


def test_info_prints_facts_and_json(run, fastmri_file):
    path = fastmri_file()
    code, out, _ = run("info", path)
    assert code == 0
    assert "CORPD_FBK" in out
    assert "48 x 40" in out
    code, out, _ = run("info", path, "--json")
    facts = json.loads(out)
    assert facts["coils"] == 4
    assert facts["measured_columns"] == "2 to 37"
    assert 0 < facts["noise_per_component_in_middle_slice"] < 0.1


def test_mask_is_written_and_drawn(run, tmp_path: Path):
    mask, png = tmp_path / "mask.npy", tmp_path / "mask.png"
    code, out, _ = run("mask", "--kind", "radial", "--shape", "64x48", "--acceleration", 5, "-o", mask, "--png", png)
    assert code == 0
    assert "asked 5x" in out
    samples = np.load(mask)
    assert samples.dtype == bool
    assert samples.shape == (64, 48)
    assert imread(png).std() > 0.05


def test_reconstruct_writes_every_slice_with_coils_and_record(run, fastmri_file, tmp_path: Path):
    out_file, png = tmp_path / "out.h5", tmp_path / "panel.png"
    code, out, _ = run(
        "reconstruct", fastmri_file(), "--slice", "all", "--method", "tv", "--acceleration", 2, "--acl", 0.2,
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


def test_compare_prints_a_table(run, tmp_path: Path):
    png = tmp_path / "panel.png"
    code, out, _ = run("compare", "phantom", "--methods", "zero-filled,cg-sense", "--png", png)
    assert code == 0
    assert "PSNR / dB" in out
    assert out.count("cg-sense") == 1
    assert str(png) in out.replace("\n", "")
    assert imread(png).shape[1] > 500


BAD = [
    (("info", "absent.h5"), "no such file"),
    (("info", "{folder}"), "is a folder"),
    (("reconstruct", "{scan}", "--slice", "9", "-o", "{out}"), "no slice 9"),
    (("reconstruct", "{scan}", "--slice", "some", "-o", "{out}"), "not a number"),
    (("reconstruct", "{scan}", "--method", "magic", "-o", "{out}"), "unknown 'magic'"),
    (("reconstruct", "{scan}", "--mask", "hexagonal", "-o", "{out}"), "unknown kind"),
    (("reconstruct", "{scan}", "--mask", "absent.npy", "-o", "{out}"), "not a readable"),
    (("reconstruct", "{scan}", "--mask", "file", "-o", "{out}"), "brings no mask"),
    (("reconstruct", "{scan}", "--acceleration", "0.5", "-o", "{out}"), "leaves nothing out"),
    (("reconstruct", "{scan}", "--acceleration", "30", "-o", "{out}"), "no more than"),
    (("reconstruct", "{scan}", "--acl", "2", "-o", "{out}"), "share of all lines"),
    (("reconstruct", "{scan}", "--axis", "up", "-o", "{out}"), "neither columns nor rows"),
    (("reconstruct", "{scan}", "--coils", "-1", "-o", "{out}"), "virtual coils"),
    (("reconstruct", "{scan}", "--device", "abacus", "-o", "{out}"), "unknown 'abacus'"),
    (("reconstruct", "{scan}", "-o", "{folder}/none/out.h5"), "does not exist"),
    (("reconstruct", "{scan}", "-o", "{folder}"), "is a folder"),
    (("mask", "--shape", "square", "-o", "{folder}/m.npy"), "rows x columns"),
    (("mask", "--shape", "99999x9", "-o", "{folder}/m.npy"), "outside"),
    (("mask", "-o", "{folder}/m.png"), "does not end in .npy"),
    (("compare", "{scan}", "--methods", "magic"), "unknown 'magic'"),
    (("compare", "{scan}", "--slice", "all"), "one slice"),
    (("reconstruct", "{scan}", "-o", "{scan}"), "write over the scan"),
    (("reconstruct", "{scan}", "-o", "{out}", "--png", "{out}"), "different names"),
    (("reconstruct", "{scan}", "-o", "/dev/null"), "not an ordinary file"),
    (("reconstruct", "{scan}", "--mask", "m" * 400 + ".npy", "-o", "{out}"), "not a readable"),
    (("info", "x" * 400), "cannot be read"),
    (("mask", "--kind", "fastmri-matched", "--acl", "0.25", "-o", "{folder}/m.npy"), "no more than"),
    (("mask", "--kind", "poisson", "--shape", "16x16", "--acl", "0.9", "-o", "{folder}/m.npy"), "does not fit"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[" ".join(arguments)[:60] for arguments, _ in BAD])
def test_bad_input_ends_with_one_sentence_code_two_and_no_file(run, fastmri_file, tmp_path: Path, arguments, words):
    scan, folder = fastmri_file(), tmp_path / "folder"
    folder.mkdir()
    out = tmp_path / "out.h5"
    code, _, err = run(*(part.format(scan=scan, out=out, folder=folder) for part in arguments))
    assert code == 2
    assert words in err.replace("\n", " ")
    assert "Traceback" not in err
    assert len([line for line in err.splitlines() if line.startswith("napari-pogmdm:")]) == 1
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file1000000.h5", "folder"]
    assert not list(folder.iterdir())


def test_scans_with_odd_names_and_attributes_are_shown(run, fastmri_file, tmp_path: Path):
    scan = fastmri_file("a$1_$2[red].h5")
    with h5py.File(scan, "a") as file:
        file.attrs["acquisition"] = np.bytes_(b"[/red]AXT2")
    code, out, _ = run("info", scan)
    assert code == 0
    assert "[/red]AXT2" in out
    code, _, err = run(
        "reconstruct", scan, "--method", "zero-filled", "-o", tmp_path / "o.h5", "--png", tmp_path / "o.png"
    )
    assert code == 0, err


def test_a_pipe_is_no_scan(run, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.h5")
    code, _, err = run("info", tmp_path / "pipe.h5")
    assert code == 2
    assert "not an ordinary file" in err


def test_an_undersampled_file_keeps_its_own_mask(run, fastmri_file, tmp_path: Path, small_scan):
    columns = np.arange(40) % 2 == 0
    scan = fastmri_file(kspace=small_scan.kspace[None] * columns, mask=columns, reconstruction_rss=None)
    assert run("reconstruct", scan, "--method", "zero-filled", "-o", tmp_path / "o.h5")[0] == 0
    with h5py.File(tmp_path / "o.h5") as file:
        record = json.loads(file["record"][()])[0]
    assert record["mask"]["kind"] == "file"
    assert record["mask"]["acceleration"] == 2


def test_an_unwritable_folder_is_named(run, fastmri_file, tmp_path: Path):
    locked = tmp_path / "file.h5" / "out.h5"
    (tmp_path / "file.h5").touch()
    code, _, err = run("reconstruct", fastmri_file("scan.h5"), "-o", locked)
    assert code == 2
    assert "does not exist" in err


def test_a_broken_scan_leaves_no_half_written_result(run, fastmri_file, tmp_path: Path, small_scan):
    kspace = np.stack([small_scan.kspace, 0 * small_scan.kspace])
    code, _, err = run("reconstruct", fastmri_file(kspace=kspace), "--slice", "all", "--method", "zero-filled",
                       "-o", tmp_path / "out.h5")  # fmt: skip
    assert code == 2
    assert "slice 1: all of kspace is zero" in err.replace("\n", " ")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file1000000.h5"]


def test_unknown_options_and_missing_ones_exit_with_two(run):
    assert run("reconstruct", "demo")[0] == 2
    assert run("reconstruct", "demo", "--frobnicate")[0] == 2
    assert run("--version")[0] == 0


@pytest.mark.parametrize("command", ["info", "mask", "reconstruct", "compare"])
def test_every_command_has_help(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "Usage" in out
    assert len(out) > 200


def test_an_interrupt_ends_quietly_and_writes_nothing(run, fastmri_file, tmp_path: Path, monkeypatch):
    def interrupted(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("napari_pogmdm.recon.methods.sample", interrupted)
    code, _, err = run("reconstruct", fastmri_file(), "-o", tmp_path / "out.h5")
    assert code == 130
    assert "Traceback" not in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["file1000000.h5"]
