from __future__ import annotations

import csv

import numpy as np
import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation.case import CLASSICAL_CHOICES, CaseResult
from napari_pogmdm.gui.docks.compare.export import save_table
from napari_pogmdm.gui.docks.compare.queue import Comparison
from napari_pogmdm.recon.metrics import Metrics


def test_the_table_has_a_line_a_method_and_slice(tmp_path):
    queue = Comparison(shown_slice=4)
    queue.add(CLASSICAL_CHOICES[:2], (4, 1))
    while (job := queue.next()) is not None:
        metrics = Metrics(30.0 + job.slice_index, 0.9, 0.01)
        queue.finish(job, CaseResult(np.zeros((2, 2), np.float32), metrics, 1.5))
    save_table(tmp_path / "table.csv", queue.rows)
    lines = list(csv.DictReader((tmp_path / "table.csv").open()))
    assert [(line["method"], line["slice"], line["psnr_db"]) for line in lines[:2]] == [
        ("zero-filled", "1", "31"),
        ("zero-filled", "4", "34"),
    ]


def test_a_table_of_nothing_is_refused(tmp_path):
    with pytest.raises(InputError, match="nothing was compared yet"):
        save_table(tmp_path / "table.csv", [])
