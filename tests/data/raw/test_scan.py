"""Raw files as scans: what was measured lands where it belongs, whatever the order and the options of the scanner."""

from __future__ import annotations

from pathlib import Path

import ismrmrd
import numpy as np
import pytest

from data.raw.raw_scans import COILS, COLUMNS, ROWS, Readout, head, lines_of, oversampled, to_kspace, write_ismrmrd
from napari_pogmdm.data.sources import open_scan
from napari_pogmdm.errors import InputError

FULL = to_kspace(oversampled(head()))
TRUE = to_kspace(head())


def opened(tmp_path: Path, readouts: list[Readout], **header: object):
    return open_scan(write_ismrmrd(tmp_path / "raw.h5", readouts, **header))


def close(found: np.ndarray, true: np.ndarray) -> bool:
    return bool(np.abs(found - true).max() < 2e-5 * np.abs(true).max())


def test_a_full_scan_loses_its_oversampling_and_nothing_else(tmp_path: Path):
    scan = opened(tmp_path, lines_of(FULL))
    slice_ = scan[0]
    assert (len(scan), slice_.shape, slice_.coils, slice_.mask) == (1, (ROWS, COLUMNS), COILS, None)
    assert close(slice_.kspace, TRUE)
    assert slice_.header.encoded_field_of_view_mm == (240, 240)
    assert slice_.header.contrast == "head"
    assert "readout oversampling removed (64 to 32 samples)" in slice_.remarks
    assert f"{COLUMNS} of {COLUMNS} lines measured" in slice_.remarks
    assert slice_.origin is not None
    assert Path(slice_.origin.scan).name == "raw.h5"


def test_regular_undersampling_keeps_its_mask_and_calibration_lines(tmp_path: Path):
    every, reference = list(range(0, COLUMNS, 3)), [9, 10, 11, 12, 13, 14]
    both = [column for column in reference if column % 3 == 0]
    only = [column for column in reference if column % 3]
    readouts = lines_of(FULL, [column for column in every if column not in both])
    readouts += lines_of(FULL, both, flags=(ismrmrd.ACQ_IS_PARALLEL_CALIBRATION_AND_IMAGING,))
    readouts += lines_of(FULL, only, flags=(ismrmrd.ACQ_IS_PARALLEL_CALIBRATION,))
    slice_ = opened(tmp_path, readouts)[0]
    assert slice_.mask is not None
    np.testing.assert_array_equal(np.flatnonzero(slice_.mask.any(axis=0)), sorted({*every, *reference}))
    assert close(slice_.kspace, TRUE * slice_.mask)
    assert f"{len({*every, *reference})} of {COLUMNS} lines measured" in slice_.remarks


def test_a_separate_calibration_scan_is_left_aside(tmp_path: Path):
    readouts = lines_of(FULL, range(0, COLUMNS, 2))
    readouts += lines_of(7 * FULL, range(9, 15), flags=(ismrmrd.ACQ_IS_PARALLEL_CALIBRATION,))
    slice_ = opened(tmp_path, readouts, calibration="separate")[0]
    np.testing.assert_array_equal(np.flatnonzero(slice_.mask.any(axis=0)), range(0, COLUMNS, 2))
    assert any("separate calibration" in remark for remark in slice_.remarks)


def test_an_image_line_comes_before_a_calibration_line_of_the_same_place(tmp_path: Path):
    readouts = lines_of(FULL) + lines_of(9 * FULL, [12], flags=(ismrmrd.ACQ_IS_PARALLEL_CALIBRATION,))
    assert close(opened(tmp_path, readouts)[0].kspace, TRUE)


def test_averages_are_averaged_and_lines_that_encode_no_image_are_left_out(tmp_path: Path):
    generator = np.random.default_rng(0)
    noise = generator.normal(size=FULL.shape) * 0.01
    readouts = lines_of(FULL + noise) + lines_of(FULL - noise, average=1)
    for flag in (ismrmrd.ACQ_IS_NAVIGATION_DATA, ismrmrd.ACQ_IS_DUMMYSCAN_DATA, ismrmrd.ACQ_IS_PHASECORR_DATA):
        readouts += lines_of(100 * FULL, [12], flags=(flag,))
    slice_ = opened(tmp_path, readouts)[0]
    assert close(slice_.kspace, TRUE)
    assert "mean of 2 averages" in slice_.remarks


@pytest.mark.slow
def test_slices_contrasts_sets_and_repetitions_are_told_apart(tmp_path: Path):
    readouts = []
    for repetition in range(2):
        for set_ in range(2):
            for contrast in range(3):
                for slice_ in range(2):
                    factor = 1 + slice_ + 10 * contrast + 100 * set_ + 1000 * repetition
                    where = {"slice": slice_, "contrast": contrast, "set": set_, "repetition": repetition}
                    readouts += lines_of(factor * FULL, position=(0, 0, 5.0 * slice_), **where)
    scan = opened(tmp_path, readouts)
    assert scan.dimensions == {"slice": 2, "contrast": 3, "set": 2, "repetition": 2}
    assert len(scan) == 24
    assert close(scan[1 + 2 * (2 + 3 * (1 + 2 * 1))].kspace, (2 + 20 + 100 + 1000) * TRUE)
    assert scan[7].source == "raw.h5, slice 1, contrast 0, set 1, repetition 0"


def test_interleaved_slices_are_put_in_order(tmp_path: Path):
    readouts = []
    for number, height in enumerate((0.0, 10.0, 5.0, 15.0)):
        readouts += lines_of((1 + height) * FULL, slice=number, position=(0, 0, height))
    scan = opened(tmp_path, readouts)
    for number, height in enumerate((0.0, 5.0, 10.0, 15.0)):
        assert close(scan[number].kspace, (1 + height) * TRUE)
        assert scan[number].place.centre_mm == (0, 0, height)
    assert "slices sorted by position" in scan[0].remarks


def test_noise_is_whitened(tmp_path: Path):
    generator = np.random.default_rng(1)
    mixing = np.linalg.cholesky(np.eye(COILS) + 0.6 * np.ones((COILS, COILS))).astype(complex)
    mixing[0] *= 3

    def noise(samples: int) -> np.ndarray:
        return mixing @ (generator.normal(size=(COILS, samples)) + 1j * generator.normal(size=(COILS, samples)))

    readouts = [Readout(noise(4096), flags=(ismrmrd.ACQ_IS_NOISE_MEASUREMENT,))]
    only_noise = np.stack([noise(2 * ROWS) for _ in range(COLUMNS)], axis=2)
    slice_ = opened(tmp_path, readouts + lines_of(only_noise))[0]
    samples = slice_.kspace.reshape(COILS, -1)
    covariance = samples @ samples.conj().T / samples.shape[1]
    relative = covariance / np.diag(covariance).real.mean()
    assert np.abs(relative - np.eye(COILS)).max() < 0.25  # 768 samples tell each entry to 4 %
    assert "whitened with the noise scan (4096 samples a coil)" in slice_.remarks


@pytest.mark.parametrize(
    ("noise", "words"),
    [
        (np.ones((COILS + 1, 512)), "not whitened: the noise scan has 5 coils, the image 4"),
        (np.ones((COILS, 3)), "not whitened: 3 samples of noise are too few for 4 coils"),
        (np.full((COILS, 512), np.nan), "not whitened: the noise scan holds NaN or infinite samples"),
        (np.zeros((COILS, 512)), "not whitened: the noise scan is zero in a coil"),
    ],
)
def test_a_noise_scan_that_does_not_fit_is_left_aside_and_said(tmp_path: Path, noise, words):
    readouts = [Readout(noise, flags=(ismrmrd.ACQ_IS_NOISE_MEASUREMENT,)), *lines_of(FULL)]
    slice_ = opened(tmp_path, readouts)[0]
    assert words in slice_.remarks
    assert close(slice_.kspace, TRUE)


def test_partial_fourier_is_what_was_not_measured(tmp_path: Path):
    """The file counts from its first measured line, and names the centre."""
    readouts = [Readout(FULL[:, :, column], step_1=column - 7) for column in range(7, COLUMNS)]
    slice_ = opened(tmp_path, readouts, centre=COLUMNS // 2 - 7, last=COLUMNS - 8)[0]
    np.testing.assert_array_equal(np.flatnonzero(slice_.mask.any(axis=0)), range(7, COLUMNS))
    assert close(slice_.kspace, TRUE * slice_.mask)


def test_zero_padding_on_both_sides_is_a_full_scan(tmp_path: Path):
    readouts = [Readout(FULL[:, :, column], step_1=column - 4) for column in range(4, COLUMNS - 4)]
    slice_ = opened(tmp_path, readouts, centre=COLUMNS // 2 - 4)[0]
    assert slice_.mask is None
    assert slice_.shape == (ROWS, COLUMNS)
    assert not slice_.kspace[:, :, :4].any()


def test_an_asymmetric_echo_lacks_samples_at_one_side(tmp_path: Path):
    cut = 20
    short = FULL[:, cut:]
    slice_ = opened(tmp_path, lines_of(short, centre=ROWS - cut))[0]
    measured = np.flatnonzero(slice_.mask.all(axis=1))
    np.testing.assert_array_equal(measured, range(cut // 2, ROWS))
    found = np.fft.ifft2(np.fft.ifftshift(slice_.kspace, axes=(-2, -1)), norm="ortho")
    cropped = TRUE.copy()
    cropped[:, : cut // 2] = 0
    true = np.fft.ifft2(np.fft.ifftshift(cropped, axes=(-2, -1)), norm="ortho")
    assert np.linalg.norm(found - true) < 0.05 * np.linalg.norm(true)
    assert any("asymmetric echo" in remark for remark in slice_.remarks)


def test_samples_to_discard_are_discarded(tmp_path: Path):
    padded = np.pad(FULL, ((0, 0), (3, 5), (0, 0)), constant_values=99)
    slice_ = opened(tmp_path, lines_of(padded, centre=ROWS + 3, before=3, after=5))[0]
    assert close(slice_.kspace, TRUE)


def test_a_reversed_contrast_is_turned_round(tmp_path: Path):
    readouts = lines_of(FULL) + lines_of(FULL[:, ::-1], contrast=1, flags=(ismrmrd.ACQ_IS_REVERSE,))
    scan = opened(tmp_path, readouts)
    magnitude = np.abs(np.fft.ifft2(scan[1].kspace))
    true = np.abs(np.fft.ifft2(TRUE))
    assert np.linalg.norm(magnitude - true) < 0.02 * np.linalg.norm(true)


def test_all_partitions_of_a_3d_scan_become_slices(tmp_path: Path):
    volume = np.stack([(1 + number) * oversampled(head()) for number in range(4)])
    kspace = to_kspace(volume, axes=(-4, -2, -1))
    readouts = [line for z in range(4) for line in lines_of(kspace[z], step_2=z)]
    scan = opened(tmp_path, readouts, z=4, view_z=20)
    assert scan.dimensions == {"slice": 4}
    for number in range(4):
        assert close(scan[number].kspace, (1 + number) * TRUE)
        assert scan[number].place.centre_mm == (0, 0, 5.0 * (number - 2))


def test_a_header_that_does_not_fit_gives_way_to_the_samples(tmp_path: Path):
    slice_ = opened(tmp_path, lines_of(FULL), x=20, y=10, centre=99)[0]
    assert slice_.shape == (2 * ROWS, COLUMNS)
    assert slice_.pixel_mm is None
    assert any("the header describes" in remark for remark in slice_.remarks)


def spokes(count: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """Samples (coils, spokes, 64) of the head along spokes, and their places (kx, ky) in cycles per pixel."""
    angles = np.pi * np.arange(count) / count
    radius = np.arange(-ROWS, ROWS) / (2 * ROWS)
    places = np.stack((radius * np.cos(angles)[:, None], radius * np.sin(angles)[:, None]), axis=-1)
    images = head(ROWS, ROWS)
    axis = np.arange(ROWS) - ROWS // 2
    across = np.exp(-2j * np.pi * places[..., 0, None] * axis)
    down = np.exp(-2j * np.pi * places[..., 1, None] * axis)
    return np.einsum("cyx,psy,psx->cps", images, down, across, optimize=True) / ROWS, places


@pytest.mark.parametrize("scale", [1.0, ROWS])
def test_spokes_keep_their_trajectory(tmp_path: Path, scale: float):
    samples, places = spokes()
    readouts = [Readout(samples[:, one], step_1=one, trajectory=scale * places[one]) for one in range(samples.shape[1])]
    slice_ = opened(tmp_path, readouts, y=2 * ROWS, trajectory="radial")[0]
    assert slice_.grid is not None
    assert slice_.trajectory is not None
    assert slice_.shape[1] == ROWS
    assert slice_.kspace.shape == (COILS, slice_.trajectory.shape[0])
    kept = (places.reshape(-1, 2)[:, ::-1] < 0.5).all(axis=1)
    np.testing.assert_allclose(slice_.trajectory, places.reshape(-1, 2)[kept][:, ::-1], atol=1e-6)
    np.testing.assert_allclose(slice_.kspace, samples.reshape(COILS, -1)[:, kept], atol=1e-6)


REFUSED = [
    (lines_of(FULL), {"trajectory": "epi"}, "echo-planar imaging, which needs a phase correction"),
    (lines_of(FULL), {"trajectory": "spiral"}, "is spiral, but holds no trajectory"),
    ([Readout(FULL[:, :, 0], flags=(ismrmrd.ACQ_IS_NOISE_MEASUREMENT,))], {}, "holds no readouts of an image"),
    (lines_of(FULL)[1:] + lines_of(FULL[:2], [0]), {}, "have 2 and 4 coils"),
    (lines_of(np.where(np.arange(COLUMNS) == 12, np.nan, FULL)), {}, "NaN or infinite samples"),
    (lines_of(0 * FULL), {}, "all of kspace is zero"),
    (lines_of(FULL, [0, 1, 2]), {}, "no sample was measured near the centre"),
    (lines_of(FULL, centre=500), {}, "centre of a readout lies outside its samples"),
    (lines_of(FULL), {"x": "many"}, "gives 'many' for encodedSpace/matrixSize/x"),
    (lines_of(FULL), {"view_x": "1e999"}, "gives '1e999'"),
]


@pytest.mark.parametrize(("readouts", "header", "words"), REFUSED)
def test_what_cannot_be_reconstructed_is_refused_in_one_sentence(tmp_path: Path, readouts, header, words):
    with pytest.raises(InputError, match=words):
        opened(tmp_path, readouts, **header)[0]


def test_alternating_readouts_are_called_echo_planar(tmp_path: Path):
    readouts = lines_of(FULL)
    for one in readouts[::2]:
        one.flags = (ismrmrd.ACQ_IS_REVERSE,)
    with pytest.raises(InputError, match="echo-planar"):
        opened(tmp_path, readouts)


def test_a_trajectory_with_nan_or_far_outside_is_refused(tmp_path: Path):
    samples, places = spokes(4)
    for bad, words in ((np.nan, "NaN or infinite"), (50.0, "its trajectory goes to")):
        wrong = places.copy()
        wrong[0, 3] = bad
        readouts = [Readout(samples[:, one], trajectory=wrong[one]) for one in range(4)]
        with pytest.raises(InputError, match=words):
            opened(tmp_path, readouts, trajectory="radial")[0]
