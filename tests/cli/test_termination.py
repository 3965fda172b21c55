"""SIGTERM ends the program, what it runs and what it writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from napari_pogmdm.cli.termination import EXIT_CODE, Terminated, obeying_sigterm

LONG = 20.0  # seconds that a busy machine may need to start; nothing here depends on how long it is


def start(program: str, *arguments: str) -> subprocess.Popen:
    process = subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def gone(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_the_main_thread_hears_of_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "napari", raising=False)  # whose loop lets no exception through

    def wait() -> None:
        with obeying_sigterm():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(LONG)

    with pytest.raises(Terminated):
        wait()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_program_that_hears_nothing_ends_all_the_same_with_its_children_and_hidden_files(tmp_path):
    """A loop in C lets no signal through."""
    program = """
import signal, subprocess, sys, time
from pathlib import Path
from napari_pogmdm import files
from napari_pogmdm.cli.termination import obeying_sigterm
files._IN_MEMORY = 0
child = subprocess.Popen(["sleep", "100"])
Path(sys.argv[1], "child").write_text(str(child.pid))
with obeying_sigterm(), files.whole_file(Path(sys.argv[1], "a.h5")) as stream:
    stream.write(b"half")
    signal.signal(signal.SIGTERM, lambda *_: None)  # as deaf as a loop in C, and for as long
    print("ready", flush=True)
    while True:
        time.sleep(1)
"""
    process = start(program, str(tmp_path))
    assert any(path.suffix == ".part" for path in tmp_path.iterdir())
    process.terminate()
    assert process.wait(LONG) == EXIT_CODE == 143
    assert [path.name for path in tmp_path.iterdir()] == ["child"]
    assert gone(int((tmp_path / "child").read_text()))


@pytest.mark.slow
def test_a_command_ends_with_143_and_leaves_nothing(tmp_path):
    program = """
import sys
from napari_pogmdm.cli import run_slices
from napari_pogmdm.cli.main import main
def begin(*arguments, **named):
    print("ready", flush=True)
    while True:
        pass
run_slices.SliceRun.measure = begin
sys.argv = ["napari-pogmdm", "reconstruct", "phantom", "-o", sys.argv[1] + "/a.h5"]
main()
"""
    process = start(program, str(tmp_path))
    process.terminate()
    assert process.wait(LONG) == 143
    assert not list(tmp_path.iterdir())
