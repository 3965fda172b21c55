from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.raw.raw_scans import head, to_kspace
from data.raw.test_scan import spokes
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError

KSPACE = to_kspace(head()).astype(np.complex64)


def test_an_array_is_mapped_and_only_the_slice_is_read(tmp_path: Path):
    stack = np.stack([KSPACE, 2 * KSPACE, 3 * KSPACE])
    np.save(tmp_path / "k.npy", stack)
    scan = open_scan(tmp_path / "k.npy")
    assert isinstance(scan.kspace.values.base, np.memmap | type(None)) or isinstance(scan.kspace.values, np.memmap)
    assert len(scan) == 3
    np.testing.assert_array_equal(scan[2].kspace, 3 * KSPACE)
    assert scan[2].mask is None


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives_name_their_arrays(tmp_path: Path, save):
    save(tmp_path / "k.npz", other=np.zeros(3), data=KSPACE.transpose(1, 2, 0))
    slice_ = open_scan(tmp_path / "k.npz", axes="rows,columns,coils")[0]
    np.testing.assert_array_equal(slice_.kspace, KSPACE)
    assert slice_.origin.options == {"axes": "rows,columns,coils"}
    save(tmp_path / "two.npz", a=KSPACE, b=2 * KSPACE)
    with pytest.raises(InputError, match="which array is k-space\\? Name it with --key; the file holds a, b"):
        open_scan(tmp_path / "two.npz")
    np.testing.assert_array_equal(open_scan(tmp_path / "two.npz", key="b")[0].kspace, 2 * KSPACE)
    with pytest.raises(InputError, match="holds no 'c'; it holds a, b"):
        open_scan(tmp_path / "two.npz", key="c")


def test_zeros_were_not_measured(tmp_path: Path):
    kspace = KSPACE.copy()
    kspace[:, :, 1:9:2] = 0
    np.save(tmp_path / "k.npy", kspace)
    slice_ = open_scan(tmp_path / "k.npy")[0]
    assert slice_.mask.sum() == 20 * 32
    assert "20 of 24 lines measured" in slice_.remarks


def test_samples_along_a_trajectory(tmp_path: Path):
    samples, places = spokes(8)
    np.savez(tmp_path / "k.npz", kspace=samples, trajectory=places[..., ::-1])
    slice_ = open_scan(tmp_path / "k.npz")[0]
    assert (slice_.shape, slice_.coils) == ((32, 32), 4)
    assert slice_.kspace.shape[1] == len(slice_.trajectory)
    assert any("--matrix changes it" in remark for remark in slice_.remarks)
    assert open_scan(tmp_path / "k.npz", matrix="40x24")[0].shape == (40, 24)
    np.save(tmp_path / "k.npy", samples)
    np.save(tmp_path / "places.npy", 32 * places[..., ::-1])
    other = open_scan(tmp_path / "k.npy", trajectory=tmp_path / "places.npy", matrix="32")[0]
    np.testing.assert_allclose(other.trajectory, slice_.trajectory, atol=1e-6)


@pytest.mark.parametrize(
    ("arrays", "options", "words"),
    [
        ({"kspace": KSPACE, "trajectory": np.zeros((5, 2))}, {}, "stays at the centre"),
        ({"kspace": KSPACE, "trajectory": np.full((5, 2), np.nan)}, {"matrix": "32"}, "NaN or infinite"),
        ({"kspace": KSPACE, "trajectory": np.full((5, 3), 0.1)}, {}, r"expected \(..., 2\)"),
        ({"kspace": KSPACE, "trajectory": np.full((5, 2), 0.1)}, {}, "has 768 samples, but 5 positions"),
        ({"kspace": KSPACE, "trajectory": np.full((32, 24, 2), 0.1)}, {"matrix": "big"}, "is not an image size"),
        ({"kspace": KSPACE * np.nan}, {}, "NaN or infinite samples"),
        ({"kspace": 0 * KSPACE}, {}, "all of kspace is zero"),
        ({"kspace": np.zeros((0, 8, 8), complex)}, {}, "is empty"),
        ({"kspace": KSPACE.transpose(1, 2, 0)}, {}, "would have 4 columns; .* name its axes"),
        ({"kspace": np.ones((600, 8, 8), complex)}, {}, "would have 600 coils"),
        ({"kspace": np.ones((2, 2), complex)}, {}, "would have 2 rows"),
    ],
)
def test_arrays_that_make_no_sense_are_refused(tmp_path: Path, arrays, options, words):
    np.savez(tmp_path / "k.npz", **arrays)
    with pytest.raises(InputError, match=words):
        open_scan(tmp_path / "k.npz", **options)[0]


def test_nothing_is_unpickled(tmp_path: Path):
    np.save(tmp_path / "k.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="not a readable NumPy array file"):
        open_scan(tmp_path / "k.npy")
    np.savez(tmp_path / "k.npz", kspace=np.array([{}], dtype=object))
    with pytest.raises(InputError, match="Python objects"):
        open_scan(tmp_path / "k.npz")


def test_damaged_files_end_in_one_sentence_and_take_no_memory(tmp_path: Path):
    generator = np.random.default_rng(5)
    for name, save in (("k.npy", np.save), ("k.npz", np.savez), ("c.npz", np.savez_compressed)):
        save(tmp_path / name, KSPACE)
        whole = (tmp_path / name).read_bytes()
        for _ in range(60):
            broken = bytearray(whole[: generator.integers(1, len(whole))] if generator.random() < 0.3 else whole)
            for _ in range(generator.integers(1, 6)):
                broken[generator.integers(min(len(broken), 300))] = generator.integers(256)
            (tmp_path / name).write_bytes(broken)
            try:
                open_scan(tmp_path / name)[0]
            except InputError as error:
                assert "\n" not in str(error)
