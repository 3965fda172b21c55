"""Results that could not be written, or would take the place of what is read, are refused before any work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from napari_pogmdm.cli.output_paths import check_outputs, is_file, make_folder
from napari_pogmdm.errors import InputError


def test_an_ordinary_new_or_old_file_is_fine(tmp_path: Path):
    (tmp_path / "old.h5").touch()
    check_outputs({"--output": tmp_path / "new.h5", "--png": None, "--resume": tmp_path / "old.h5"}, ("demo", None))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (".", "--png: .* is a folder; name a file in it"),
        ("none/x.png", "--png: .*the folder .*none does not exist"),
        ("x" * 400, r"--png: .*cannot be written \(File name too long\)"),
    ],
    ids=["folder", "no folder", "too long"],
)
def test_others_are_named_with_their_option(tmp_path: Path, path, words):
    with pytest.raises(InputError, match=words):
        check_outputs({"--png": tmp_path / path})


@pytest.mark.parametrize("link", [os.symlink, os.link, None], ids=["symbolic link", "hard link", "itself"])
def test_results_do_not_write_over_what_is_read(tmp_path: Path, link):
    scan = tmp_path / "scan.h5"
    scan.touch()
    if link is not None:
        link(scan, tmp_path / "link.h5")
    with pytest.raises(InputError, match=r"--output: would write over .*h5, which the command reads"):
        check_outputs({"--output": tmp_path / ("scan.h5" if link is None else "link.h5")}, ("x" * 400, str(scan)))


def test_results_do_not_write_over_each_other(tmp_path: Path):
    with pytest.raises(InputError, match="--png: names the same file as --output"):
        check_outputs({"--output": tmp_path / "a.h5", "--png": tmp_path / ".." / tmp_path.name / "a.h5"})


def test_a_name_that_no_file_can_have_is_no_file():
    assert not is_file("x" * 400)
    assert not is_file("\0")


def test_a_folder_is_made_or_the_reason_given(tmp_path: Path):
    make_folder(tmp_path / "a" / "b", "--output")
    make_folder(tmp_path / "a" / "b", "--output")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"--output: .*file.* cannot be made a folder"):
        make_folder(tmp_path / "file" / "folder", "--output")
