"""Damaged files: an error in one sentence, or the right result; never a crash, a hang or silent garbage."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from napari_pogmdm.data.fastmri import open_fastmri
from napari_pogmdm.data.header import parse_header
from napari_pogmdm.errors import InputError

# Flips bits of a valid file in a process of its own, so that a crash of the HDF5 library would be seen as such.
FLIPPER = """
import sys
from pathlib import Path
import numpy as np
from napari_pogmdm.data.fastmri import open_fastmri
from napari_pogmdm.errors import InputError

path, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
whole = path.read_bytes()
truth = open_fastmri(path)[0]
generator = np.random.default_rng(first)
garbage = refused = 0
for trial in range(count):
    flipped = bytearray(whole)
    for position in generator.integers(len(whole), size=generator.integers(1, 4)):
        flipped[position] ^= 1 << int(generator.integers(8))
    path.write_bytes(bytes(flipped))
    try:
        scan = open_fastmri(path)
        read = scan[0]
    except InputError as error:
        assert "\\n" not in str(error), error
        refused += 1
        continue
    same = read.kspace.shape == truth.kspace.shape and np.array_equal(read.kspace, truth.kspace)
    if not same:
        garbage += 1
        print("garbage", trial, read.kspace.shape, file=sys.stderr)
print(garbage, refused)
"""


@pytest.mark.parametrize("first", [1, 2])
def test_flipped_bits_are_refused_or_harmless(fastmri_file, tmp_path: Path, first: int):
    program = tmp_path / "flip.py"
    program.write_text(FLIPPER)
    command = [sys.executable, str(program), str(fastmri_file()), str(first), "400"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    garbage, refused = map(int, done.stdout.split())
    assert garbage == 0, done.stderr[-2000:]
    assert refused > 50


def test_every_truncation_is_refused(fastmri_file):
    path = fastmri_file()
    whole = path.read_bytes()
    for length in np.linspace(0, len(whole) - 1, 60).astype(int):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError):
            open_fastmri(path)[1]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200)))
def test_any_text_as_header_is_read_or_refused(text):
    try:
        header = parse_header(text, "scan.h5")
    except InputError as error:
        assert "scan.h5" in str(error)
    else:
        assert header.encoded_matrix is None or min(header.encoded_matrix) >= 1
