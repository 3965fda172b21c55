"""The examples run as they stand, in a folder of their own, and print what they promise."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent.parent / "examples"
WITH_A_WINDOW = {"open_a_dock.py"}  # tests/gui/examples has these
EXAMPLES = sorted(path for path in FOLDER.glob("*.py") if path.name not in WITH_A_WINDOW)


def run(example: str, folder: Path) -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(FOLDER / example)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def decibels(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"(-?[\d.]+) dB", text)]


def test_there_are_examples_of_everything_and_each_says_what_it_shows():
    named = {path.stem for path in FOLDER.glob("*.py")}
    assert {"own_arrays", "stepping", "ensemble", "tuning", "train_a_prior", "open_a_dock"} <= named
    for path in FOLDER.glob("*.py"):
        assert f"python examples/{path.name}" in ast.get_docstring(ast.parse(path.read_text())), path.name


@pytest.mark.slow
def test_own_arrays_are_reconstructed_and_saved(tmp_path):
    cg_sense, learned = decibels(run("own_arrays.py", tmp_path))
    assert learned > cg_sense
    assert (tmp_path / "mine.h5").is_file()


@pytest.mark.slow
def test_a_run_is_stepped(tmp_path):
    printed = run("stepping.py", tmp_path)
    assert [line.split()[0] for line in printed.splitlines()[:5]] == ["predict", "data", "correct", "data", "coils"]
    iterate, estimate = decibels(printed)
    assert estimate > iterate


@pytest.mark.slow
def test_chains_differ_where_they_are_wrong(tmp_path):
    assert float(re.search(r"([\d.]+) times", run("ensemble.py", tmp_path))[1]) > 1.5


@pytest.mark.slow
def test_settings_are_tuned(tmp_path):
    printed = run("tuning.py", tmp_path)
    assert len(decibels(printed)) == 6
    assert "chosen: prior_weight" in printed


@pytest.mark.slow
@pytest.mark.parametrize("example", ["train_a_prior.py", "denoise.py"])
def test_priors_denoise(tmp_path, example):
    found = re.findall(r"([\d.]+) -> ([\d.]+) dB", run(example, tmp_path))
    assert found
    assert all(float(after) > float(before) + 3 for before, after in found)


@pytest.mark.slow
def test_methods_are_compared(tmp_path):
    rows = dict(line.split()[:2] for line in run("compare_methods.py", tmp_path).splitlines()[1:])
    assert set(rows) == {"pogmdm", "zero-filled", "cg-sense", "tv", "joint-tv"}
    assert float(rows["pogmdm"]) > float(rows["cg-sense"]) > float(rows["zero-filled"])


def test_no_example_goes_untried():
    tried = Path(__file__).read_text()
    assert all(f'"{path.name}"' in tried for path in EXAMPLES)
