"""Parts of a file: what is there, no more than was asked for, and a sentence where it is gone."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.data.raw.file_parts import FileParts, file_parts
from napari_pogmdm.errors import InputError

RECORD = np.dtype([("number", "<u4"), ("rest", "V12")])


def numbered(path: Path, count: int, stride: int) -> Path:
    content = np.zeros((count, stride), np.uint8)
    content[:, :4] = np.arange(count, dtype="<u4").view(np.uint8).reshape(count, 4)
    path.write_bytes(content.tobytes())
    return path


def test_parts_end_with_the_file(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(bytes(range(10)))
    with file_parts(path) as file:
        assert len(file) == 10
        assert file.part(7, 9) == bytes([7, 8, 9])
        assert file.part(20, 3) == b""
        assert file.word(1, 2) == 0x0201


@pytest.mark.parametrize("stride", [16, 100, 4096, 4097, 50_000])
def test_records_are_found_at_any_distance(tmp_path: Path, stride: int):
    with file_parts(numbered(tmp_path / "a", 20, stride)) as file:
        found = file.records(3 * stride, RECORD, 17, stride)
    np.testing.assert_array_equal(found["number"], np.arange(3, 20))


def test_what_stands_between_far_records_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    read: list[int] = []
    plain = FileParts.part
    monkeypatch.setattr(FileParts, "part", lambda self, start, count: read.append(count) or plain(self, start, count))
    with file_parts(numbered(tmp_path / "a", 20, 50_000)) as file:
        file.records(0, RECORD, 20, 50_000)
    assert sum(read) == 20 * RECORD.itemsize


def test_a_file_that_shrinks_or_is_none_is_one_sentence(tmp_path: Path):
    path = numbered(tmp_path / "a", 20, 100)
    with file_parts(path) as file:
        os.truncate(path, 150)
        with pytest.raises(InputError, match=r"a: has become shorter"):
            file.part(100, 100)
    for other in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="cannot be read"), file_parts(other):
            pass
