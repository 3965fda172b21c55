"""Nothing is written over a scan that is open."""

from __future__ import annotations

from pathlib import Path

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.files import whole_file, write_file
from napari_pogmdm.open_files import keep_open


def test_an_open_scan_is_not_written_over_by_any_name_until_it_is_closed(tmp_path: Path):
    scan, link = tmp_path / "scan.cfl", tmp_path / "link.cfl"
    for file in (scan, scan.with_suffix(".hdr")):
        file.write_bytes(b"only copy")
    link.symlink_to(scan)
    keep_open("window", str(scan))
    for path in (scan, link, scan.with_suffix(".hdr"), tmp_path / "." / "scan.cfl"):
        with pytest.raises(InputError, match="is the scan that is open"):
            write_file(path, b"result")
        with pytest.raises(InputError, match="is the scan that is open"), whole_file(path):
            pass
    assert scan.read_bytes() == b"only copy"
    write_file(tmp_path / "other.cfl", b"result")
    keep_open("window", None)
    write_file(scan, b"result")
