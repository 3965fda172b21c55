from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.raw.raw_scans import head, to_kspace
from data.raw.test_scan import spokes
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError

KSPACE = to_kspace(head()).astype(np.complex64)
BART = KSPACE.transpose(1, 2, 0)[:, :, None]


def write_cfl(path: Path, array: np.ndarray) -> Path:
    path.with_suffix(".hdr").write_text("# Dimensions\n" + " ".join(map(str, array.shape)) + "\n")
    array.astype(np.complex64).ravel(order="F").tofile(path.with_suffix(".cfl"))
    return path


@pytest.mark.parametrize("name", ["k.cfl", "k.hdr", "k"])
def test_either_file_or_their_common_name_opens_them(tmp_path: Path, name: str):
    write_cfl(tmp_path / "k.cfl", BART)
    np.testing.assert_array_equal(open_scan(tmp_path / name)[0].kspace, KSPACE)


def test_echoes_time_and_slices_have_their_places(tmp_path: Path):
    array = np.zeros((32, 24, 1, 4, 1, 2, 1, 1, 1, 1, 3, 1, 1, 2), np.complex64)
    for echo, time, slice_ in np.ndindex(2, 3, 2):
        array[:, :, 0, :, 0, echo, 0, 0, 0, 0, time, 0, 0, slice_] = (1 + echo + 10 * time + 100 * slice_) * BART[
            :, :, 0
        ]
    scan = open_scan(write_cfl(tmp_path / "k.cfl", array))
    assert scan.dimensions == {"slice": 2, "contrast": 2, "repetition": 3}
    np.testing.assert_allclose(scan[1 + 2 * (1 + 2 * 2)].kspace, 122 * KSPACE, rtol=1e-5)


def test_a_plane_of_phase_encodings_is_found(tmp_path: Path):
    write_cfl(tmp_path / "k.cfl", KSPACE.transpose(1, 2, 0)[None])
    np.testing.assert_array_equal(open_scan(tmp_path / "k.cfl")[0].kspace, KSPACE)


def test_a_trajectory_beside_the_file_is_used(tmp_path: Path):
    samples, places = spokes(8)
    write_cfl(tmp_path / "k.cfl", samples.transpose(2, 1, 0)[None])
    three = np.concatenate((32 * places[..., ::-1], np.zeros((8, 64, 1))), axis=-1)
    write_cfl(tmp_path / "k_traj.cfl", three.transpose(2, 1, 0))
    slice_ = open_scan(tmp_path / "k.cfl")[0]
    assert slice_.shape == (32, 32)
    assert any("trajectory of k_traj" in remark for remark in slice_.remarks)
    first = np.flatnonzero((np.abs(slice_.trajectory - places[0, 1, ::-1]) < 1e-6).all(axis=1))
    np.testing.assert_allclose(slice_.kspace[:, first[0]], samples[:, 0, 1], atol=1e-6)
    (tmp_path / "k_traj.hdr").rename(tmp_path / "t.hdr")
    (tmp_path / "k_traj.cfl").rename(tmp_path / "t.cfl")
    assert open_scan(tmp_path / "k.cfl", trajectory=tmp_path / "t.cfl")[0].shape == (32, 32)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("# Dimensions\n32 24 1 400\n", "has 24576 bytes, but k.hdr says 2457600"),
        ("# Dimensions\n99999999 99999999 99999999 99999999\n", "but k.hdr says"),
        ("# Dimensions\n32 -24 1 4\n", "are not those of an array"),
        ("# Dimensions\n32 x\n", "not a header of BART"),
        ("nothing", "not a header of BART"),
        ("# Dimensions\n32 24 2 2\n", "is a 3-D volume"),
        ("# Dimensions\n32 12 1 4 2\n", "its axis 4 has length 2"),
        ("# Dimensions\n3072\n", "is no plane"),
    ],
)
def test_a_header_that_lies_is_refused(tmp_path: Path, header: str, words: str):
    write_cfl(tmp_path / "k.cfl", BART)
    (tmp_path / "k.hdr").write_text(header)
    with pytest.raises(InputError, match=words):
        open_scan(tmp_path / "k.cfl")[0]


def test_half_a_pair_and_a_trajectory_of_another_scan_are_refused(tmp_path: Path):
    write_cfl(tmp_path / "k.cfl", BART)
    (tmp_path / "k.cfl").unlink()
    with pytest.raises(InputError, match=r"two files, \.hdr and \.cfl"):
        open_scan(tmp_path / "k.hdr")
    samples, places = spokes(8)
    write_cfl(tmp_path / "s.cfl", samples.transpose(2, 1, 0)[None])
    write_cfl(tmp_path / "s_traj.cfl", places[:5].transpose(2, 1, 0))
    with pytest.raises(InputError, match="does not go with samples"):
        open_scan(tmp_path / "s.cfl")
    with pytest.raises(InputError, match="no such file"):
        open_scan(tmp_path / "s.cfl", trajectory=tmp_path / "absent.cfl")
