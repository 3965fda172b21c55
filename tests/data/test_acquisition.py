from __future__ import annotations

import numpy as np
import pytest

from data.headers import FULL
from napari_pogmdm.data.acquisition import Acquisition, Header, InMemoryScan, centre_crop
from napari_pogmdm.errors import InputError


def test_padding_follows_from_centre_and_maximum():
    assert FULL.acquired_columns == (372 // 2 - 168, 372 // 2 - 168 + 336)


def test_oversampling_follows_from_fields_of_view_or_matrices():
    assert FULL.readout_oversampling == 2
    assert Header(encoded_matrix=(640, 372), recon_matrix=(320, 320)).readout_oversampling == 2
    assert Header().readout_oversampling is None
    assert Header().acquired_columns is None


def test_the_crop_is_the_references_or_the_headers_and_never_more_than_there_is():
    kspace = np.zeros((2, 64, 30), np.complex64)
    assert Acquisition(kspace, "a").crop == (64, 30)
    header = Header(recon_matrix=(32, 32))
    assert Acquisition(kspace, "a", header).crop == (32, 30)
    assert Acquisition(kspace, "a", header, reference=np.zeros((20, 18), np.float32)).crop == (20, 18)
    assert (Acquisition(kspace, "a").coils, Acquisition(kspace, "a").shape) == (2, (64, 30))


def test_the_centre_is_cut_as_fastmri_does():
    image = np.arange(7 * 8).reshape(7, 8)
    np.testing.assert_array_equal(centre_crop(image, (3, 4)), image[2:5, 2:6])
    np.testing.assert_array_equal(centre_crop(image, (4, 99)), image[1:5])
    assert centre_crop(np.zeros((5, 7, 8)), (1, 1)).shape == (5, 1, 1)


def test_a_scan_in_memory_is_walked_and_says_which_slices_it_has():
    slices = tuple(Acquisition(np.zeros((1, 4, 4), np.complex64), f"slice {index}") for index in range(2))
    scan = InMemoryScan("made up", slices)
    assert len(scan) == 2
    assert list(scan) == list(slices)
    assert scan[1] is slices[1]
    for index in (-1, 2):
        with pytest.raises(InputError, match=r"made up has no slice -?\d: choose one from 0 to 1"):
            scan[index]


def along(places: np.ndarray, **changes: object) -> Acquisition:
    return Acquisition(
        np.zeros((3, len(places)), np.complex64), "spokes", trajectory=places, **({"grid": (8, 6)} | changes)
    )


def test_samples_along_a_trajectory_keep_the_size_of_their_image():
    acquisition = along(np.linspace(-0.5, 0.49, 20, dtype=np.float32).reshape(10, 2))
    assert (acquisition.shape, acquisition.crop, acquisition.coils) == ((8, 6), (8, 6), 3)
    assert "8 x 6, 3 coils, trajectory" in repr(acquisition)


@pytest.mark.parametrize(
    ("places", "changes", "words"),
    [
        (np.zeros((4, 2)), {"grid": None}, "needs the size of the image"),
        (np.zeros((4, 3)), {}, r"expected \(samples, 2\)"),
        (np.zeros((4, 2)), {"kspace": np.zeros((3, 5), np.complex64)}, r"expected \(samples, 2\)"),
        (np.zeros((4, 2)), {"mask": np.ones((8, 6), bool)}, "both a mask and a trajectory"),
        (np.full((4, 2), np.nan), {}, "NaN or infinite positions"),
        (np.full((4, 2), 0.5), {}, r"expected cycles per pixel in \[-0.5, 0.5\)"),
        (np.full((4, 2), -0.6), {}, r"expected cycles per pixel in \[-0.5, 0.5\)"),
    ],
)
def test_a_trajectory_that_fits_no_samples_is_refused(places, changes, words):
    given = {"kspace": np.zeros((3, len(places)), np.complex64), "grid": (8, 6)} | changes
    with pytest.raises(InputError, match=words):
        Acquisition(given.pop("kspace"), "spokes", trajectory=places, **given)
