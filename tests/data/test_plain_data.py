from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.data import plain_data
from napari_pogmdm.data.plain_data import read_plain
from napari_pogmdm.data.result_file import result_file
from napari_pogmdm.errors import InputError


def test_json_files_and_the_records_of_results_are_read_alike(tmp_path: Path):
    facts = [{"slice": 0, "method": "tv"}]
    (tmp_path / "record.json").write_text(json.dumps(facts))
    with result_file(tmp_path / "result.h5", 1) as file:
        file.add(0, {"reconstruction": np.ones((4, 4), np.float32)})
        file.record(json.dumps(facts))
    assert read_plain(tmp_path / "record.json") == read_plain(tmp_path / "result.h5") == facts


def test_results_without_a_record_are_named(tmp_path: Path):
    with result_file(tmp_path / "result.h5", 1) as file:
        file.add(0, {"reconstruction": np.ones((4, 4), np.float32)})
    with pytest.raises(InputError, match=r"result\.h5: holds no record"):
        read_plain(tmp_path / "result.h5")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_files_that_are_no_json_are_named(tmp_path: Path, content: bytes):
    (tmp_path / "bad.json").write_bytes(content)
    with pytest.raises(InputError, match=r"bad\.json: is not a readable JSON file"):
        read_plain(tmp_path / "bad.json")
    with pytest.raises(InputError, match=r"absent\.json: no such file"):
        read_plain(tmp_path / "absent.json")


def test_files_that_are_too_long_are_refused(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(plain_data, "LARGEST_RECORD", 100)
    (tmp_path / "long.json").write_text(json.dumps("x" * 200))
    with pytest.raises(InputError, match="too long"):
        read_plain(tmp_path / "long.json")
