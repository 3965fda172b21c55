from __future__ import annotations

import time

import h5py
import numpy as np
import pytest

from napari_pogmdm.data.acquisition import InMemoryScan
from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.errors import InputError
from napari_pogmdm.files import write_file
from napari_pogmdm.gui.core.loader import Loader
from napari_pogmdm.gui.core.session import Session
from napari_pogmdm.physics.coils import root_sum_of_squares
from napari_pogmdm.physics.fourier import to_image
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe


class Bench:
    def __init__(self) -> None:
        self.session = Session()
        self.told: list[str] = []
        self.loader = Loader(self.session, lambda notice: self.told.append(notice.text))

    def settle(self) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            self.loader.deliver()
            if not self.loader.busy:
                self.loader.deliver()
                if not self.loader.busy:
                    return
            time.sleep(0.005)
        raise AssertionError("the background did not finish")


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.loader.close()


def test_opening_a_file_loads_its_middle_slice_and_measures_it(bench, fastmri_file):
    bench.loader.open(fastmri_file())
    assert bench.session.loading == "file1000000.h5"
    bench.settle()
    session = bench.session
    assert (session.loading, session.slice_index, len(session.scan)) == ("", 1, 2)
    assert session.reference.shape == (24, 32)
    assert session.measurement is not None
    assert session.preview.zero_filled.shape == (24, 32)
    assert not bench.told


def test_nothing_is_written_over_the_open_scan(bench, fastmri_file):
    path = fastmri_file()
    bench.loader.open(path)
    bench.settle()
    before = path.read_bytes()
    with pytest.raises(InputError, match="is the scan that is open; save under another name"):
        write_file(path, "a result that a dialog was told to save here")
    assert path.read_bytes() == before
    bench.loader.close()
    write_file(path, "")


def test_a_middle_slice_that_cannot_be_used_gives_way_to_its_neighbour(bench, fastmri_file):
    path = fastmri_file()
    with h5py.File(path, "r+") as file:
        file["kspace"][1] = 0
    bench.loader.open(path)
    bench.settle()
    assert bench.session.slice_index == 0
    assert not bench.told
    bench.loader.load_slice(1)
    bench.settle()
    assert bench.session.slice_index == 0
    assert "slice 1: all of kspace is zero" in bench.told[0]
    with h5py.File(path, "r+") as file:
        file["kspace"][0] = np.nan
    bench.loader.open(path)
    bench.settle()
    assert "slice 1: all of kspace is zero" in bench.told[1]


def test_the_newest_slice_wins(bench, fastmri_file):
    bench.loader.open(fastmri_file())
    bench.settle()
    seen: list[int] = []
    bench.session.events.slice_index.connect(seen.append)
    for index in (0, 1, 0, 1, 0):
        bench.loader.load_slice(index)
    bench.settle()
    assert bench.session.slice_index == 0
    assert seen == [0]


def test_a_file_that_vanished_keeps_the_scan_and_says_so_once(bench, fastmri_file):
    path = fastmri_file()
    bench.loader.open(path)
    bench.settle()
    kept = bench.session.acquisition
    path.unlink()
    bench.loader.load_slice(0)
    bench.settle()
    assert bench.session.acquisition is kept
    assert (bench.session.slice_index, bench.session.loading) == (1, "")
    assert len(bench.told) == 1
    assert "no such file" in bench.told[0]


def test_an_image_is_scanned(bench):
    bench.session.mask_request = MaskRecipe("cartesian", 2.0, 0.3)
    bench.loader.simulate(shepp_logan((40, 32)), coils=3, noise=0.0, name="mine")
    bench.settle()
    assert bench.session.acquisition.kspace.shape == (3, 40, 32)
    np.testing.assert_allclose(bench.session.reference.max(), 1.0)


def test_what_cannot_be_scanned_is_one_sentence(bench):
    bench.loader.simulate(np.zeros((8, 8)), coils=2, noise=0.0, name="black")
    bench.settle()
    assert bench.session.scan is None
    assert bench.told == ["black: the image is all zero; choose another one."]


def test_cancelling_a_load_leaves_what_there_was(bench, fastmri_file):
    bench.loader.open(fastmri_file())
    bench.settle()
    bench.loader.load_slice(0)
    bench.loader.cancel()
    bench.settle()
    assert (bench.session.slice_index, bench.session.loading) == (1, "")
    assert bench.session.measurement is not None


@pytest.mark.parametrize("coils", [0, 2])
def test_the_preview_is_the_zero_filled_image_of_what_is_measured(bench, small_scan, coils):
    bench.session.virtual_coils = coils
    bench.session.mask_request = MaskRecipe("gaussian", 3.0)
    order: list[str] = []
    bench.session.events.preview.connect(lambda: order.append("preview"))
    bench.session.events.measurement.connect(lambda new: order.append("measurement") if new is not None else None)
    bench.loader.take(InMemoryScan("small", (small_scan,)))
    bench.settle()
    assert order == ["preview", "measurement"]
    session = bench.session
    assert session.mask is session.measurement.mask
    expected = root_sum_of_squares(to_image(session.measurement.kspace)).numpy() * session.measurement.scale
    np.testing.assert_allclose(session.preview.zero_filled, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(10 ** (session.preview.point_spread / 20), session.mask.point_spread(), atol=2e-4)
