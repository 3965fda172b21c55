from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from napari_pogmdm.data.simulate import simulated_coils
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.recon.coils.given import CoilMaps, load_coil_maps


def test_maps_are_read_scaled_and_named_by_their_numbers(tmp_path: Path, measurement):
    maps = simulated_coils(6, measurement.shape)
    np.save(tmp_path / "maps.npy", 3 * maps.astype(np.complex128))
    found = load_coil_maps(tmp_path / "maps.npy")
    assert found.values.dtype == np.complex64
    torch.testing.assert_close(found.on(measurement), torch.from_numpy(maps), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(root_sum_of_squares(found.on(measurement)), torch.ones(measurement.shape))
    assert found.sha256 == CoilMaps(found.values.copy(), "elsewhere").sha256
    assert found.sha256 != CoilMaps(2 * found.values, "elsewhere").sha256


def test_maps_of_another_size_or_number_are_refused(measurement):
    with pytest.raises(InputError, match=r"mine\.npy: the maps have shape \(3, 80, 72\)"):
        CoilMaps(simulated_coils(3, measurement.shape), "mine.npy").on(measurement)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.ones((8, 8)), "expected complex maps"),
        (np.full((2, 8, 8), "x"), "numbers are needed"),
        (np.zeros((2, 8, 8), np.complex64), "all zero"),
        (np.full((2, 8, 8), np.nan), "not finite"),
        (None, "no such file"),
    ],
)
def test_files_that_hold_no_maps_are_named(tmp_path: Path, array, words):
    path = tmp_path / "bad.npy"
    if array is not None:
        np.save(path, array)
    with pytest.raises(InputError, match=words) as caught:
        load_coil_maps(path)
    assert "bad.npy" in str(caught.value)
