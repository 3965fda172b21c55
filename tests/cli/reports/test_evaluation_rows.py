"""The folder of an evaluation is believed as far as it is whole."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.cli.reports import evaluation_rows
from napari_pogmdm.cli.reports.evaluation_rows import all_rows
from napari_pogmdm.evaluation.table import Cell, CellJob, CellResult
from napari_pogmdm.recon.sampler.preset_file import PresetFile
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runtime.pool.cluster import Cluster
from napari_pogmdm.runtime.pool.connect import open_pool
from napari_pogmdm.runtime.pool.pool import Here
from napari_pogmdm.runtime.pool.processes import Processes

CELL = Cell("phantom", "C4/8", "zero-filled")
NUMBERS = {"psnr": 30.0, "ssim": 0.9, "nmse": 0.01, "seconds": 0.1, "setting": ""}


@pytest.fixture
def computed(monkeypatch) -> list[Cell]:
    """Cells that were computed, with numbers that cost nothing."""
    asked: list[Cell] = []

    def run(job: CellJob, priors: object) -> CellResult:
        cell = job.cell
        asked.append(cell)
        return CellResult({**asdict(cell), **NUMBERS, "key": cell.key}, np.ones((4, 4), np.float32))

    monkeypatch.setattr(evaluation_rows, "run_cell", run)
    return asked


def rows(folder: Path) -> list[dict]:
    (folder / "images").mkdir(exist_ok=True)
    return all_rows([CELL], folder, Here(), lambda done, total: None)


def test_a_whole_row_is_not_computed_again(tmp_path, computed):
    first = rows(tmp_path)
    assert rows(tmp_path) == first
    assert len(computed) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"psnr": None}, {"psnr": 10**400}, {"psnr": float("nan")}, {"ssim": "high"}, {"seconds": [1]},
        {"nmse": float("inf")},
        {"setting": None, "psnr": {}}, {"key": ["unhashable"]}, {"key": "other"},
    ],
    ids=str,
)  # fmt: skip
def test_a_damaged_row_is_computed_again(tmp_path, computed, change):
    [row] = rows(tmp_path)
    (tmp_path / "rows.jsonl").write_text(json.dumps({**row, **change}) + "\n[]\nnull\n7\n" + "[" * 100_000)
    assert rows(tmp_path)[0]["psnr"] == 30.0
    assert len(computed) == 2


@pytest.mark.parametrize("content", [b"", b"no array", np.ones(3).tobytes()])
def test_a_damaged_image_is_computed_again(tmp_path, computed, content):
    [row] = rows(tmp_path)
    (tmp_path / row["image"]).write_bytes(content)
    assert np.load(tmp_path / rows(tmp_path)[0]["image"]).shape == (4, 4)
    assert len(computed) == 2


def test_an_image_never_lies_elsewhere(tmp_path, computed):
    [row] = rows(tmp_path)
    np.save(tmp_path / "secret.npy", np.zeros((4, 4), np.float32))
    (tmp_path / "rows.jsonl").write_text(json.dumps({**row, "image": "secret.npy", "file": "/etc/passwd"}))
    [again] = rows(tmp_path)
    assert again == row
    assert len(computed) == 1


def die(job: CellJob, priors: object) -> CellResult:
    """A cell that its process does not survive."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@pytest.mark.slow
def test_a_cell_whose_process_is_killed_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluation_rows, "run_cell", die)
    (tmp_path / "images").mkdir()
    cells = [CELL, Cell("phantom", "R3", "zero-filled")]
    found = all_rows(cells, tmp_path, Processes(2), lambda done, total: None)
    assert ["its process was killed each time (exit code -9)" in row["error"] for row in found] == [True, True]


@pytest.mark.slow
@pytest.mark.parametrize("seen", [True, False])
def test_a_cluster_gives_the_same_rows_and_images(tmp_path, scheduler, fastmri_file, monkeypatch, seen):
    settings = tmp_path / "settings.json"
    settings.write_text(PresetFile(replace(preset("fast"), iterations=2)).to_json())
    methods = ("zero-filled", "pogmdm:flf-tc:fast", f"pogmdm:flf-tc:{settings}")
    cells = [Cell(str(fastmri_file()), "C2/20", method, coils=3) for method in methods]
    monkeypatch.setattr(Cluster, "sees", lambda pool, files: seen)
    found = []
    for place in (None, scheduler):
        folder = tmp_path / ("here" if place is None else "there")
        (folder / "images").mkdir(parents=True)
        with open_pool(place) as pool:
            found.append((folder, all_rows(cells, folder, pool, lambda done, total: None)))
    (here, rows_here), (there, rows_there) = found
    for one, other in zip(rows_here, rows_there, strict=True):
        assert one.get("error") is None
        assert {**one, "seconds": 0} == {**other, "seconds": 0}
        np.testing.assert_array_equal(np.load(here / one["image"]), np.load(there / other["image"]))
