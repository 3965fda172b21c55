"""What a file holds, for people and as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path

import h5py
import numpy as np
import pytest


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


def test_odd_attributes_are_shown_as_they_are(run, fastmri_file):
    scan = fastmri_file("a$1_$2[red].h5")
    with h5py.File(scan, "a") as file:
        file.attrs["acquisition"] = np.bytes_(b"[/red]AXT2")
    code, out, _ = run("info", scan)
    assert code == 0
    assert "[/red]AXT2" in out


def test_a_pipe_is_no_scan(run, tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.h5")
    code, _, err = run("info", tmp_path / "pipe.h5")
    assert code == 2
    assert "not an ordinary file" in err


@pytest.mark.parametrize(
    ("source", "words"),
    [("absent.h5", "no such file"), ("{folder}", "is a folder"), ("x" * 400, "cannot be read")],
    ids=["absent", "folder", "too long"],
)
def test_what_is_no_scan_is_named(refuse, source, words):
    refuse(("info", source), words)
