"""Siemens files: both versions, written by the tests from the layout, and held against another reader."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import twixtools

from data.raw.raw_scans import COILS, COLUMNS, ROWS, Readout, head, lines_of, oversampled, to_kspace
from data.raw.test_scan import close
from data.raw.twix_files import LAST, NOISE, PATREF, PATREF_AND_IMAGE, REFLECT, measurement, write_twix
from napari_pogmdm.data.raw.file_parts import FileParts
from napari_pogmdm.data.raw.twix import open_twix
from napari_pogmdm.data.raw.twix_lines import directions_of
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import Cancelled, InputError

FULL = to_kspace(oversampled(head()))
TRUE = to_kspace(head())
BOTH = pytest.mark.parametrize("version", ["vb", "vd"])


def opened(tmp_path: Path, readouts: list[Readout], version: str, **options: object):
    return open_scan(write_twix(tmp_path / "meas.dat", [measurement(readouts, version, **options)], version))


@BOTH
def test_a_full_scan_is_read_as_it_was_measured(tmp_path: Path, version: str):
    slice_ = opened(tmp_path, lines_of(FULL), version)[0]
    assert slice_.mask is None
    assert close(slice_.kspace, TRUE)
    assert slice_.header.encoded_field_of_view_mm == (240, 240)
    assert slice_.header.contrast == "head"
    assert slice_.place.thickness_mm == 5
    assert "readout oversampling removed (64 to 32 samples)" in slice_.remarks


@BOTH
def test_another_reader_finds_the_same_samples(tmp_path: Path, version: str):
    path = write_twix(tmp_path / "meas.dat", [measurement(lines_of(FULL), version)], version)
    theirs = [
        one
        for one in twixtools.read_twix(str(path), verbose=False, parse_geometry=False)[-1]["mdb"]
        if one.is_image_scan()
    ]
    assert [one.cLin for one in theirs] == list(range(COLUMNS))
    np.testing.assert_array_equal(np.stack([one.data for one in theirs], axis=2), FULL.astype(np.complex64))


@BOTH
def test_reference_lines_slices_echoes_and_repetitions(tmp_path: Path, version: str):
    readouts = []
    for repetition in range(2):
        for echo in range(2):
            for slice_ in range(2):
                where = {"slice": slice_, "contrast": echo, "repetition": repetition, "position": (0, 0, -7.0 * slice_)}
                factor = 1 + slice_ + 10 * echo + 100 * repetition
                readouts += lines_of(factor * FULL, [0, 3, 6, 9, 15, 18, 21], **where)
                readouts += lines_of(factor * FULL, [12], flags=(PATREF, PATREF_AND_IMAGE), **where)
                readouts += lines_of(factor * FULL, [10, 11, 13], flags=(PATREF,), **where)
    scan = opened(tmp_path, readouts, version)
    assert scan.dimensions == {"slice": 2, "contrast": 2, "repetition": 2}
    slice_ = scan[7]  # the highest, which was measured first
    np.testing.assert_array_equal(np.flatnonzero(slice_.mask[0]), [0, 3, 6, 9, 10, 11, 12, 13, 15, 18, 21])
    assert close(slice_.kspace, 111 * TRUE * slice_.mask)


def test_noise_of_an_adjustment_whitens_the_last_measurement(tmp_path: Path):
    generator = np.random.default_rng(0)
    mixing = np.tril(np.ones((COILS, COILS)))
    noise = mixing @ (generator.normal(size=(COILS, 4096)) + 1j * generator.normal(size=(COILS, 4096)))
    first = measurement([Readout(noise, flags=(NOISE,))], "vd")
    path = write_twix(tmp_path / "meas.dat", [first, measurement(lines_of(FULL), "vd")], "vd")
    slice_ = open_scan(path)[0]
    assert "whitened with the noise scan (4096 samples a coil)" in slice_.remarks
    assert "the last of 2 measurements" in slice_.remarks
    ratio = np.linalg.lstsq(TRUE.reshape(COILS, -1).T, slice_.kspace.reshape(COILS, -1).T, rcond=None)[0].T
    whitened = ratio @ mixing
    covariance = whitened @ whitened.conj().T
    assert np.abs(covariance / np.diag(covariance).real.mean() - np.eye(COILS)).max() < 0.1


@BOTH
def test_partial_fourier_counts_from_the_centre_line(tmp_path: Path, version: str):
    readouts = [Readout(FULL[:, :, column], step_1=column - 7) for column in range(7, COLUMNS)]
    slice_ = opened(tmp_path, readouts, version, centre_line=COLUMNS // 2 - 7)[0]
    np.testing.assert_array_equal(np.flatnonzero(slice_.mask.any(axis=0)), range(7, COLUMNS))
    assert close(slice_.kspace, TRUE * slice_.mask)


def test_a_protocol_of_another_size_gives_way(tmp_path: Path):
    """Pulseq's protocols say nothing of the sequence, and leave the centre line at zero."""
    slice_ = opened(tmp_path, lines_of(FULL), "vd", length=5, centre_line=0, **{"sKSpace.lBaseResolution": 7})[0]
    assert slice_.shape == (2 * ROWS, COLUMNS)
    assert close(slice_.kspace, FULL)
    assert slice_.pixel_mm is None


def test_quaternions_are_those_of_phase_readout_and_slice():
    found = directions_of(np.array([[2**-0.5, 0, 0, 2**-0.5]]))[0]
    np.testing.assert_allclose(found, [[-1, 0, 0], [0, 1, 0], [0, 0, 1]], atol=1e-6)


REFUSED = [
    ({"sFastImaging.lEPIFactor": 64}, "echo-planar"),
    ({"sKSpace.ucTrajectory": 2}, "is radial, but holds no trajectory"),
    ({"sSliceAcceleration.lMultiBandFactor": 3}, "several slices at once"),
]


@pytest.mark.parametrize(("protocol", "words"), REFUSED)
def test_sequences_that_need_more_are_refused(tmp_path: Path, protocol, words):
    with pytest.raises(InputError, match=words):
        opened(tmp_path, lines_of(FULL), "vd", **protocol)


def test_alternating_readouts_are_refused(tmp_path: Path):
    readouts = lines_of(FULL)
    for one in readouts[::2]:
        one.flags = (REFLECT,)
    with pytest.raises(InputError, match="echo-planar"):
        opened(tmp_path, readouts, "vb")


@BOTH
def test_a_file_cut_short_is_refused_wherever_it_is_cut(tmp_path: Path, version: str):
    path = write_twix(tmp_path / "meas.dat", [measurement(lines_of(FULL), version)], version)
    whole = path.read_bytes()
    body = whole.rstrip(b"\0")
    for share in (0.001, 0.02, 0.3, 0.5, 0.77, 0.99):
        path.write_bytes(whole[: int(share * len(body))])
        with pytest.raises(
            InputError, match=r"cut short|too short|middle of the measurement|empty|not raw data|damaged"
        ):
            open_scan(path)[0]


def test_a_measurement_that_says_it_ended_needs_no_mark(tmp_path: Path):
    readouts = lines_of(FULL)
    readouts[-1].flags = (LAST,)
    assert close(opened(tmp_path, readouts, "vb", ended=False)[0].kspace, TRUE)


@pytest.mark.slow
@BOTH
def test_damage_ends_in_one_sentence_and_takes_no_memory(tmp_path: Path, version: str):
    import tracemalloc

    small = to_kspace(oversampled(head(16, 16, 2)))
    path = write_twix(tmp_path / "meas.dat", [measurement(lines_of(small), version)], version)
    whole = path.read_bytes()
    generator = np.random.default_rng(3)
    heads = [place for place in range(len(whole) - 200) if whole[place : place + 4] == whole[-4:]] or [0]
    for trial in range(150):
        broken = bytearray(whole)
        for _ in range(generator.integers(1, 5)):
            where = generator.integers(min(12_000, len(broken))) if trial % 2 else generator.choice(heads)
            broken[where] = generator.integers(256)
        path.write_bytes(broken)
        tracemalloc.start()
        try:
            open_scan(path)[0]
        except InputError as error:
            assert "\n" not in str(error)
        finally:
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        assert peak < 64e6 + 40 * len(whole)


def test_indexing_can_be_watched_and_cancelled(tmp_path: Path):
    path = write_twix(tmp_path / "meas.dat", [measurement(lines_of(FULL), "vd")], "vd")
    shares: list[float] = []
    open_scan(path, progress=shares.append)
    assert shares
    assert 0.9 < shares[-1] <= 1
    with pytest.raises(Cancelled):
        open_scan(path, cancelled=lambda: True)


@BOTH
def test_indexing_reads_headers_and_no_samples(tmp_path: Path, version: str, monkeypatch: pytest.MonkeyPatch):
    long = [Readout(np.ones((COILS, 4096)), step_1=number % COLUMNS, slice=number // COLUMNS) for number in range(240)]
    path = write_twix(tmp_path / "meas.dat", [measurement(long, version)], version)
    read: list[int] = []
    plain = FileParts.part
    monkeypatch.setattr(FileParts, "part", lambda self, start, count: read.append(count) or plain(self, start, count))
    assert len(open_twix(path).lines) == len(long)
    assert sum(read) < 0.02 * path.stat().st_size
