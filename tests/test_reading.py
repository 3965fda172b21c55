"""Files that anybody may have made are one sentence or numbers, and take bounded memory."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.errors import Cancelled, InputError, printable
from napari_pogmdm.reading import check_held, inflate, is_file, read_archive, read_array, reading, shown


def npy(values: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def header(text: str) -> bytes:
    line = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(line)) + line


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f4", "c8", "?", ">i2", "u1"])
def test_arrays_are_read_as_numpy_reads_them(tmp_path: Path, order, dtype):
    values = np.asarray(np.random.default_rng(0).normal(size=(5, 7)) * 10, dtype=dtype, order=order)
    np.save(tmp_path / "a.npy", values)
    np.savez_compressed(tmp_path / "a.npz", other=np.zeros(1), image=values)
    for name in ("a.npy", "a.npz"):
        found = read_array(tmp_path / name)
        assert found.dtype == values.dtype
        np.testing.assert_array_equal(found, values)


BAD = {
    "empty": b"",
    "text": b"hello world, this is text",
    "cut off": npy(np.zeros((10, 10)))[:-1],
    "no header": b"\x93NUMPY\x01\x00",
    "tokens": header("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }'''"),
    "brackets": header("(" * 60),
    "huge": header("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000), }"),
    "overflow": header("{'descr': '<f4', 'fortran_order': False, 'shape': (10000000000000000000000, 5), }"),
    "negative": header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -1), }"),
    "objects": header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"),
    "empty items": header("{'descr': '|V0', 'fortran_order': False, 'shape': (9999999999,), }"),
    "records": header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,), }"),
    "version": b"\x93NUMPY\x09\x00" + b"\0" * 100,
    "empty archive": b"PK\x05\x06" + b"\0" * 18,
}


@pytest.mark.parametrize("name", BAD)
def test_damaged_arrays_are_one_sentence(tmp_path: Path, name):
    path = tmp_path / "a.npy"
    path.write_bytes(BAD[name])
    with pytest.raises(InputError, match=r"a\.npy: ") as caught:
        read_array(path)
    assert len(str(caught.value)) < 300


def archive(path: Path, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    with zipfile.ZipFile(path, "w", method) as made:
        made.writestr("image.npy", content)
    return path.read_bytes()


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_damaged_archives_are_one_sentence_or_the_same_numbers(tmp_path: Path, method):
    path = tmp_path / "a.npz"
    values = np.random.default_rng(0).normal(size=300)
    whole, refused = archive(path, npy(values), method), 0
    for place in range(30, 300, 7):
        path.write_bytes(whole[:place] + b"\xff\x00\xff" + whole[place + 3 :])
        try:
            np.testing.assert_array_equal(read_array(path), values)  # some bytes of a header mean nothing
        except InputError as error:
            assert "a.npz: " in str(error)
            refused += 1
    assert refused > 30


def test_encrypted_members_are_refused(tmp_path: Path):
    path = tmp_path / "a.npz"
    whole = bytearray(archive(path, npy(np.zeros(3))))
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        whole[whole.index(mark) + (6 if mark[2] == 3 else 8)] |= 1
    path.write_bytes(whole)
    with pytest.raises(InputError, match="encrypted"):
        read_array(path)


@pytest.mark.slow
def test_a_bomb_takes_no_more_memory_than_a_file_of_its_length_may(tmp_path: Path):
    zeros = np.zeros(2**25)  # 256 MB that deflate to 256 kB
    (tmp_path / "a.nii.gz").write_bytes(gzip.compress(zeros.tobytes(), 9))
    archive(tmp_path / "a.npz", npy(zeros))
    (tmp_path / "a.npy").write_bytes(header("{'descr': '<f8', 'fortran_order': False, 'shape': (33554432,), }"))
    del zeros
    for name, read in (("a.nii.gz", inflate), ("a.npz", read_array), ("a.npy", read_array)):
        tracemalloc.start()
        with pytest.raises(InputError, match=r"claims|cut off"):
            read(tmp_path / name)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 3 * (64 * 2**20 + 64 * (tmp_path / name).stat().st_size)


def test_what_is_declared_is_held_against_what_is_there():
    check_held(60 * 2**20, 0, "a")
    check_held(2**33, 2**32, "a", at_once=False)
    for declared, held in ((2**27, 1400), (2**33, 2**33)):
        with pytest.raises(InputError, match="a: claims"):
            check_held(declared, held, "a")


@pytest.mark.parametrize(
    "error",
    [
        OSError(5, "Input/output error"), ValueError("no"), MemoryError(), RecursionError(), KeyError("x"),
        lzma.LZMAError(), struct.error(), AssertionError(), IndexError(), UnicodeDecodeError("utf-8", b"", 0, 1, ""),
    ],
    ids=lambda error: type(error).__name__,
)  # fmt: skip
def test_every_failure_is_the_sentence(error):
    with pytest.raises(InputError, match=r"^x\.npy: "), reading(Path("x.npy"), "NumPy file"):
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, Cancelled])
def test_what_ends_the_program_or_the_job_passes(error):
    with pytest.raises(error), reading(Path("x.npy"), "NumPy file"):
        raise error


def test_members_are_read_by_name_or_missed(tmp_path: Path):
    np.savez(tmp_path / "a.npz", name="run", count=3)
    found = read_archive(tmp_path / "a.npz", "ensemble file", ("name", "count"))
    assert (str(found["name"]), int(found["count"])) == ("run", 3)
    with pytest.raises(InputError, match="remove it to start again"):
        read_archive(tmp_path / "a.npz", "ensemble file", ("mean",))


def test_names_that_no_file_can_have():
    assert not is_file("x" * 400)
    assert not is_file("\0")
    assert len(shown("x" * 4000)) < 300
    with pytest.raises(InputError, match="File name too long"):
        read_array(Path("x" * 400 + ".npy"))


def test_sentences_hold_nothing_that_commands_a_terminal(tmp_path: Path):
    name = "a\x1b]0;owned\x07\x1b[31m\r\n.npy"
    with pytest.raises(InputError) as caught:
        read_array(tmp_path / name)
    assert str(caught.value).isprintable()
    assert printable("Größe \u202e\x9b1m") == "Größe   1m"
    assert os.linesep not in str(InputError("a\nb"))
