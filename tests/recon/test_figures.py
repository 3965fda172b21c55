from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.figures import (
    MethodImage,
    busiest_square,
    save_comparison,
    save_mask_panel,
)
from napari_pogmdm.recon.metrics import Metrics


@pytest.fixture
def image() -> np.ndarray:
    flat = np.full((60, 48), 0.5, dtype=np.float32)
    flat[34:38, 20:24] = 1
    return flat


def size_of(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        assert picture.format == "PNG"
        return picture.size


def test_the_busiest_square_holds_what_changes_and_keeps_off_the_border(image):
    rows, columns = busiest_square(image)
    assert rows.stop - rows.start == columns.stop - columns.start == 8
    assert rows.start <= 34
    assert rows.stop >= 38
    assert columns.start <= 20
    assert columns.stop >= 24


def test_a_comparison_grows_with_its_images_and_has_a_row_of_errors_where_there_is_a_reference(tmp_path: Path, image):
    made = [MethodImage("one", image, Metrics(30.0, 0.9, 0.01)), MethodImage("two", image * 0.9, None)]
    save_comparison(None, made[:1], tmp_path / "one.png", "costs $1")
    save_comparison(None, made, tmp_path / "two.png", "two")
    save_comparison(image, made[:1], tmp_path / "errors.png", "with errors")
    one, two, errors = (size_of(tmp_path / f"{name}.png") for name in ("one", "two", "errors"))
    assert two[0] == 2 * one[0] == errors[0]
    assert two[1] == one[1]
    assert errors[1] > 1.5 * one[1]


@pytest.mark.slow
def test_more_images_than_fit_side_by_side_go_into_another_band_which_is_as_full(tmp_path: Path, image):
    made = [MethodImage(str(number), image, None) for number in range(8)]
    save_comparison(None, made[:7], tmp_path / "seven.png", "")
    save_comparison(None, made, tmp_path / "eight.png", "")
    seven, eight = size_of(tmp_path / "seven.png"), size_of(tmp_path / "eight.png")
    assert eight[0] < 0.7 * seven[0]  # four and four, not seven and one
    assert eight[1] > 1.5 * seven[1]


def test_masks_are_drawn(tmp_path: Path):
    save_mask_panel(make_mask("radial", (48, 40), 4), tmp_path / "mask.png")
    assert size_of(tmp_path / "mask.png") == (960, 540)


def test_a_figure_that_cannot_be_written_leaves_nothing(tmp_path: Path, image):
    with pytest.raises(InputError, match="does not exist; make it first"):
        save_comparison(None, [MethodImage("one", image, None)], tmp_path / "nowhere" / "a.png", "")
    assert not list(tmp_path.iterdir())


def test_the_detail_is_where_intensities_change():
    image = np.zeros((60, 48), dtype=np.float32)
    image[30:36:2, 20:26] = 1
    rows, columns = busiest_square(image)
    assert rows.start <= 30
    assert rows.stop >= 35
    assert columns.start <= 22 <= columns.stop
    assert rows.stop - rows.start == columns.stop - columns.start == 8


def test_a_long_title_stays_inside_a_narrow_figure(tmp_path: Path, image):
    name = "meas_MID00243_FID33257_a_name_as_scanners_give_them.dat, slice 17: file, 2.12x, 14 of 14 coils"
    save_comparison(None, [MethodImage("pogmdm", image, None)], tmp_path / "one.png", name)
    with Image.open(tmp_path / "one.png") as picture:
        pixels = np.asarray(picture.convert("L")).astype(int)
    background = pixels[0, 0]
    top = pixels[: pixels.shape[0] // 5]
    assert (top != background).any()
    assert (top[:, 0] == background).all()
    assert (top[:, -1] == background).all()
