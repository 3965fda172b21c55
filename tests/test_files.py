"""Files appear whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm import files
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import append_line, check_place, remove_unfinished, whole_file, write_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@contextmanager
def small_disk():
    """A disk with room for 4 kB a file; the kernel then says what it says of a full one.

    Inside a test, not around it: the test runner may write its own report to a file.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_bytes_and_text_are_written(tmp_path: Path):
    write_file(tmp_path / "a.bin", b"\0\1")
    write_file(tmp_path / "a.txt", "Größe\n")
    assert (tmp_path / "a.bin").read_bytes() == b"\0\1"
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "Größe\n"
    assert names(tmp_path) == ["a.bin", "a.txt"]


def test_a_full_disk_is_said_in_one_sentence_and_keeps_the_old_file(tmp_path: Path):
    write_file(tmp_path / "a.npy", b"old")
    said = pytest.raises(InputError, match=r"a\.npy: could not be written \(File too large\); make room")
    with said, small_disk():
        write_file(tmp_path / "a.npy", bytes(5000))
    assert (tmp_path / "a.npy").read_bytes() == b"old"
    assert names(tmp_path) == ["a.npy"]


@pytest.mark.parametrize("memory", [0, 2**20], ids=["on disk at once", "in memory"])
def test_hdf5_is_written_through_a_stream_of_any_size(tmp_path: Path, monkeypatch, memory):
    monkeypatch.setattr(files, "_IN_MEMORY", memory)
    values = np.random.default_rng(0).normal(size=(5, 64, 64)).astype(np.float32)
    with whole_file(tmp_path / "a.h5") as stream, h5py.File(stream, "w") as file:
        data = file.create_dataset("x", values.shape, values.dtype, chunks=(1, 64, 64), fletcher32=True)
        for index, one in enumerate(values):
            data[index] = one
        assert not (tmp_path / "a.h5").exists()
    with h5py.File(tmp_path / "a.h5") as file:
        assert np.array_equal(file["x"][:], values)
    assert names(tmp_path) == ["a.h5"]


def test_a_program_that_fills_the_disk_with_hdf5_ends_with_the_sentence_and_nothing_else(tmp_path: Path):
    """h5py's own file crashes at the end of the program, so this needs one of its own."""
    program = f"""
import h5py, numpy as np, resource, sys
from pathlib import Path
from napari_pogmdm import files
from napari_pogmdm.errors import InputError
files._IN_MEMORY = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    with files.whole_file(Path({str(tmp_path / "a.h5")!r})) as stream, h5py.File(stream, "w") as file:
        for number in range(20):
            file[str(number)] = np.random.default_rng(0).normal(size=5000)
except InputError as error:
    print(error)
"""
    for memory in ("0", "1000000"):
        done = subprocess.run([sys.executable, "-c", program, memory], check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        assert "could not be written (File too large)" in done.stdout
    assert not names(tmp_path)


def test_an_error_in_the_block_leaves_nothing(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(files, "_IN_MEMORY", 0)

    def fail(error: BaseException) -> None:
        with whole_file(tmp_path / "a.h5") as stream:
            stream.write(b"half")
            assert len(names(tmp_path)) == 1
            raise error

    for error in (ValueError("no"), KeyboardInterrupt(), SystemExit(143), MemoryError()):
        with pytest.raises(type(error)):
            fail(error)
        assert not names(tmp_path)


def test_an_interrupt_inside_a_write_is_raised_when_no_library_is_on_the_way(tmp_path: Path, monkeypatch):
    def interrupted(file, content):
        raise KeyboardInterrupt

    def write() -> None:
        with whole_file(tmp_path / "a.h5") as stream:
            monkeypatch.setattr(files, "_write_all", interrupted)
            stream.write(b"1")  # does not raise
            monkeypatch.undo()

    with pytest.raises(KeyboardInterrupt):
        write()
    assert not names(tmp_path)


def test_an_end_without_time_removes_what_is_unfinished(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(files, "_IN_MEMORY", 0)

    def write() -> None:
        with whole_file(tmp_path / "a.h5") as stream:
            stream.write(b"1")
            remove_unfinished()
            assert not names(tmp_path)

    with pytest.raises(InputError, match="could not be written"):
        write()


def test_leftovers_of_killed_programs_are_swept_and_those_of_running_ones_kept(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(files, "_IN_MEMORY", 0)
    old = time.time() - 3600
    for name in (".pogmdm-0123456789ab.part", ".0123456789ab.h5", ".pogmdm-mine.part", ".hidden"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (old, old))
    with whole_file(tmp_path / "a.h5") as stream:
        stream.write(b"1")
        running = [name for name in names(tmp_path) if name not in {".pogmdm-mine.part", ".hidden"}]
        assert running != [".pogmdm-0123456789ab.part"]
        os.utime(tmp_path / running[0], (old, old))
        program = "import sys; from napari_pogmdm.files import Path, write_file; write_file(Path(sys.argv[1]), '')"
        subprocess.run([sys.executable, "-c", program, str(tmp_path / "b")], check=True)
    assert names(tmp_path) == [".hidden", ".pogmdm-mine.part", "a.h5", "b"]


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("missing/out.h5", "the folder .*missing does not exist"),
        (".", "is a folder; name a file in it"),
        ("pipe", "not an ordinary file"),
        ("x" * 400, r"cannot be written \(File name too long\)"),
    ],
)
def test_places_that_cannot_be_written_are_named(tmp_path: Path, where: str, words: str):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=words):
        check_place(tmp_path / where)
    with pytest.raises(InputError, match=words):
        write_file(tmp_path / where, "")


def test_a_read_only_folder_is_named_before_any_work(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)  # root may write anywhere
    with pytest.raises(InputError, match="its folder is read-only"):
        check_place(tmp_path / "a.h5")


def test_lines_are_added_whole_or_not_at_all(tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    append_line(path, "1" * 4000)
    with pytest.raises(InputError, match=r"rows\.jsonl: could not be written"), small_disk():
        append_line(path, "2" * 200)
    append_line(path, "3")
    assert path.read_text().splitlines() == ["1" * 4000, "3"]


def test_files_have_the_mode_that_the_user_wants(tmp_path: Path):
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "a", "")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_two_writers_of_one_file_leave_one_whole_file(tmp_path: Path):
    program = """
import sys
from pathlib import Path
from napari_pogmdm.files import write_file
for _ in range(30):
    write_file(Path(sys.argv[1]), sys.argv[2] * 100_000)
"""
    writers = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "a"), letter]) for letter in "ab"]
    assert [one.wait() for one in writers] == [0, 0]
    assert (tmp_path / "a").read_text() in {"a" * 100_000, "b" * 100_000}
    assert names(tmp_path) == ["a"]
