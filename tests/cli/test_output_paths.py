"""Results that could not be written are refused before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from napari_pogmdm.cli.output_paths import check_apart, check_writable, make_folder
from napari_pogmdm.errors import InputError


def test_an_ordinary_new_or_old_file_is_fine(tmp_path: Path):
    check_writable(None, "--png")
    check_writable(tmp_path / "new.h5", "--output")
    (tmp_path / "old.h5").touch()
    check_writable(tmp_path / "old.h5", "--output")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (".", "--png: .* is a folder; name a file in it"),
        ("none/x.png", "--png: the folder .*none does not exist"),
        ("x" * 400, r"--png: .*cannot be written \(File name too long\)"),
    ],
    ids=["folder", "no folder", "too long"],
)
def test_others_are_named_with_their_option(tmp_path: Path, path, words):
    with pytest.raises(InputError, match=words):
        check_writable(tmp_path / path, "--png")


def test_results_do_not_write_over_the_scan_or_each_other(tmp_path: Path):
    scan = tmp_path / "scan.h5"
    scan.touch()
    (tmp_path / "link.h5").symlink_to(scan)
    check_apart(str(scan), tmp_path / "a.h5", None, tmp_path / "b.png")
    check_apart("demo", tmp_path / "demo")
    with pytest.raises(InputError, match="write over the scan"):
        check_apart(str(scan), tmp_path / "link.h5")
    with pytest.raises(InputError, match="different names"):
        check_apart("demo", tmp_path / "a.h5", tmp_path / "x" / ".." / "a.h5")


def test_a_folder_is_made_or_the_reason_given(tmp_path: Path):
    make_folder(tmp_path / "a" / "b", "--output")
    make_folder(tmp_path / "a" / "b", "--output")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"--output: .*file.* cannot be made a folder"):
        make_folder(tmp_path / "file" / "folder", "--output")
