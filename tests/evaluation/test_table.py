from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.table import Cell, CellJob, CellResult, load_case, run_cell


@pytest.fixture
def cell(fastmri_file) -> Cell:
    return Cell(str(fastmri_file()), "C2/20", "cg-sense", coils=3)


def computed(cell: Cell) -> CellResult:
    return run_cell(CellJob.of(cell), {})


def test_a_row_holds_what_was_asked_for_and_what_came_out(cell):
    found = computed(cell)
    assert found.image is not None
    assert found.image.shape == (24, 32)
    assert found.row["method"] == "cg-sense"
    assert found.row["psnr"] > 15
    assert "error" not in found.row
    assert "coil_residual" not in found.row
    judged = computed(replace(cell, null_space=True)).row
    assert 0 < judged["coil_residual"] < 1
    assert judged["psnr"] == found.row["psnr"]


def test_a_cell_that_fails_says_why_in_its_row(fastmri_file, cell):
    without = fastmri_file("test.h5", reconstruction_rss=None, mask=np.arange(40) % 2 == 0)
    found = computed(replace(cell, file=str(without)))
    assert found.image is None
    assert "has no full scan" in found.row["error"]
    assert found.row["key"] == replace(cell, file=str(without)).key


def test_the_key_changes_with_whatever_numbers_depend_on(cell):
    assert cell.key == replace(cell, chains=9, seed=9).key  # a classical method knows neither
    sampled = replace(cell, method="pogmdm::fast")
    others = [
        replace(cell, mask="C4/8"),
        replace(cell, coils=2),
        sampled,
        replace(sampled, chains=9),
        replace(sampled, seed=9),
        replace(sampled, method="pogmdm:flf:fast"),
        replace(cell, single_coil=True),
        replace(cell, single_coil=True, seed=9),
    ]
    keys = {cell.key, *(other.key for other in others)}
    assert len(keys) == 1 + len(others)


@pytest.mark.slow
def test_one_coil_scans_the_reference_anew(cell):
    acquisition, measurement, reference = load_case(replace(cell, single_coil=True))
    assert acquisition.kspace.shape == (1, 24, 32)
    assert measurement.kspace.shape == (1, 24, 32)
    assert reference.max() == 1
    assert computed(replace(cell, single_coil=True, method="tv")).row["psnr"] > 15


@pytest.mark.parametrize("change", [{"mask": "Z9"}, {"method": "magic"}, {"file": "absent.h5"}])
def test_cells_that_cannot_be_computed_are_refused_before_any_work(cell, change):
    cell.check()
    with pytest.raises(InputError):
        replace(cell, **change).check()
