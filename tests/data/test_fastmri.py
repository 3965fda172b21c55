from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.data.acquisition import Header
from napari_pogmdm.data.fastmri import open_fastmri
from napari_pogmdm.data.header import write_header
from napari_pogmdm.errors import InputError


def test_reads_multi_coil_slices_with_header_and_reference(fastmri_file, small_scan):
    scan = open_fastmri(fastmri_file())
    assert (len(scan), scan.coils, scan.shape, scan.has_mask) == (2, 4, (48, 40), False)
    slice_ = scan[1]
    np.testing.assert_array_equal(slice_.kspace, 2 * small_scan.kspace)
    assert slice_.kspace.dtype == np.complex64
    assert slice_.reference is not None
    assert slice_.crop == (24, 32) == slice_.reference.shape
    assert slice_.header.contrast == "CORPD_FBK"
    assert slice_.header.readout_oversampling == pytest.approx(2.0)
    assert slice_.header.acquired_columns == (2, 38)
    assert slice_.header.field_strength_tesla == pytest.approx(2.8936)


def test_a_scan_can_be_walked_through(fastmri_file):
    assert [slice_.coils for slice_ in open_fastmri(fastmri_file())] == [4, 4]


def test_reads_single_coil_files_and_prefers_their_own_target(fastmri_file, small_scan):
    esc = np.full((1, 24, 32), 3.0, dtype=np.float32)
    path = fastmri_file(kspace=small_scan.kspace[:1], reconstruction_esc=esc, reconstruction_rss=esc + 1)
    slice_ = open_fastmri(path)[0]
    assert slice_.kspace.shape == (1, 48, 40)
    assert slice_.reference is not None
    assert slice_.reference.max() == 3.0


def test_test_files_bring_a_column_mask_and_no_target(fastmri_file, small_scan):
    columns = np.arange(40) % 3 == 0
    path = fastmri_file(
        kspace=small_scan.kspace[None] * columns, mask=columns.astype(np.uint8), reconstruction_rss=None
    )
    slice_ = open_fastmri(path)[0]
    assert slice_.reference is None
    assert slice_.mask is not None
    assert slice_.mask.shape == (48, 40)
    np.testing.assert_array_equal(slice_.mask[0], columns)
    assert slice_.crop == (24, 32)


def test_a_file_without_header_is_shown_whole(fastmri_file):
    slice_ = open_fastmri(fastmri_file(ismrmrd_header=None, reconstruction_rss=None))[0]
    assert slice_.crop == (48, 40)
    assert slice_.header.acquired_columns is None
    assert slice_.header.readout_oversampling is None


def test_odd_sizes_and_double_precision_are_fine(fastmri_file):
    kspace = np.random.default_rng(0).normal(size=(1, 3, 31, 17)) + 0j
    slice_ = open_fastmri(fastmri_file(kspace=kspace, reconstruction_rss=None, ismrmrd_header=None))[0]
    assert slice_.kspace.shape == (3, 31, 17)
    assert slice_.kspace.dtype == np.complex64


def test_an_image_narrower_than_the_matrix_is_cropped_to_what_there_is(fastmri_file, small_scan):
    path = fastmri_file(kspace=small_scan.kspace[None, :, :, 10:30], reconstruction_rss=None)
    assert open_fastmri(path)[0].crop == (24, 20)


def _corrupt(kspace: np.ndarray, value: complex) -> np.ndarray:
    broken = kspace.copy()
    broken[0, 0, 5, 5] = value
    return broken


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kspace": None}, "holds no kspace"),
        ({"kspace": np.zeros((2, 3), np.complex64)}, "shape"),
        ({"kspace": np.zeros((2, 4, 48, 40), np.float32)}, "complex"),
        ({"kspace": np.zeros((0, 4, 48, 40), np.complex64), "reconstruction_rss": None}, "shape"),
        ({"kspace": "text"}, "shape"),
        ({"reconstruction_rss": np.zeros((5, 24, 32), np.float32)}, "reconstruction_rss has shape"),
        ({"reconstruction_rss": np.ones((2, 99, 32), np.float32)}, "larger than kspace"),
        ({"mask": np.ones(7)}, "its mask has shape"),
        ({"mask": np.zeros(40)}, "marks no sample"),
        ({"ismrmrd_header": b"<ismrmrdHeader"}, "not well-formed"),
        ({"ismrmrd_header": np.arange(4)}, "not one text"),
        ({"ismrmrd_header": 7}, "expected text"),
        (
            {"ismrmrd_header": write_header(Header(encoded_matrix=(48, 40), phase_centre=30, phase_last=35))},
            "outside the encoded 40 columns",
        ),
    ],
)
def test_files_of_the_wrong_make_are_refused_in_one_sentence(fastmri_file, changes, words):
    with pytest.raises(InputError, match=words) as caught:
        open_fastmri(fastmri_file(**changes))
    assert "file1000000.h5" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "words"), [(np.nan, "NaN or infinite"), (np.inf, "NaN or infinite"), (1e30, "no scanner")]
)
def test_impossible_samples_are_refused_when_their_slice_is_read(fastmri_file, small_scan, value, words):
    scan = open_fastmri(fastmri_file(kspace=_corrupt(np.stack([small_scan.kspace] * 2), value)))
    assert scan[1].coils == 4
    with pytest.raises(InputError, match=words):
        scan[0]


def test_an_empty_slice_is_refused(fastmri_file, small_scan):
    kspace = np.stack([small_scan.kspace, 0 * small_scan.kspace])
    with pytest.raises(InputError, match="all of kspace is zero"):
        open_fastmri(fastmri_file(kspace=kspace))[1]


@pytest.mark.parametrize("value", [np.nan, -1.0, 0.0])
def test_targets_that_are_no_magnitude_images_are_refused(fastmri_file, value):
    targets = np.full((2, 24, 32), value, np.float32)
    with pytest.raises(InputError, match="not a magnitude image"):
        open_fastmri(fastmri_file(reconstruction_rss=targets))[0]


@pytest.mark.parametrize("index", [-1, 2, 100])
def test_slices_out_of_range_say_which_ones_exist(fastmri_file, index):
    with pytest.raises(InputError, match=r"no slice .*0 to 1"):
        open_fastmri(fastmri_file())[index]


def test_missing_files_folders_and_other_formats(tmp_path: Path):
    other = tmp_path / "notes.h5"
    other.write_text("not HDF5 at all")
    empty = tmp_path / "empty.h5"
    empty.touch()
    for path, words in (
        (tmp_path / "none.h5", "no such file"),
        (tmp_path, "is a folder"),
        (other, "not an HDF5 file"),
        (empty, "not an HDF5 file"),
    ):
        with pytest.raises(InputError, match=words):
            open_fastmri(path)


def test_a_file_that_vanishes_after_opening_is_named(fastmri_file):
    path = fastmri_file()
    scan = open_fastmri(path)
    path.unlink()
    with pytest.raises(InputError, match="no such file"):
        scan[0]


def test_one_slice_of_a_two_gigabyte_volume_needs_little_memory(tmp_path: Path):
    path = tmp_path / "volume.h5"
    shape = (72, 15, 640, 372)
    assert np.prod(shape) * 8 > 2e9
    with h5py.File(path, "w") as file:
        kspace = file.create_dataset("kspace", shape, np.complex64, chunks=(1, 1, 640, 372))
        kspace[40] = np.random.default_rng(0).normal(size=shape[1:]).astype(np.complex64)
    tracemalloc.start()
    try:
        slice_ = open_fastmri(path)[40]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert slice_.kspace.shape[0] == 15
    assert slice_.kspace.nbytes < peak < 150e6  # arrays are counted, wherever the system keeps them


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


@pytest.mark.slow
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
