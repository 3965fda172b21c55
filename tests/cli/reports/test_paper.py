"""The paper's layout: a table a part of the evaluation, masks as columns, the best in bold, and a page of failures."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.cli.reports.paper import group_table, worst_rows, write_paper_report
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.defaults import DEFAULT_MODEL


def row(file: str, mask: str, method: str, psnr: float) -> dict[str, object]:
    return {"file": file, "mask": mask, "method": method, "psnr": psnr, "ssim": 0.9, "nmse": 0.01, "seconds": 1}


ROWS = [
    row("a", "C4/8", "zero-filled", 25.0),
    row("a", "C4/8", "pogmdm", 33.0),
    row("a", "C4/8r", "zero-filled", 26.0),
    row("a", "C4/8r", "pogmdm", 31.0),
    row("b", "C4/8", "zero-filled", 27.0),
    row("b", "C4/8", "pogmdm", 35.0),
]


def test_masks_are_columns_and_the_best_is_bold():
    text, learned = group_table(ROWS), load_prior(DEFAULT_MODEL).parameter_count
    assert "| method | | C4/8 | C4/8r | parameters |" in text
    assert "| zero-filled | PSNR / dB | 26.00 ± 1.41 | 26.00 | – |" in text
    assert f"| pogmdm | PSNR / dB | **34.00 ± 1.41** | **31.00** | {learned:,} |" in text
    assert "|  | NMSE × 100 |" in text


def test_the_worst_of_each_method_stands_beside_the_best_of_the_same_samples():
    pairs = worst_rows(ROWS)
    assert [(worst["file"], worst["mask"], best["method"]) for worst, best in pairs] == [("a", "C4/8", "pogmdm")]


@pytest.mark.slow
def test_the_report_has_a_part_for_every_kind_of_shift(tmp_path):
    (tmp_path / "images").mkdir()
    rows = []
    for number, one in enumerate(ROWS):
        image = f"images/{number}.npy"
        np.save(tmp_path / image, np.ones((256, 256), np.float32))
        rows.append({**one, "file": {"a": "phantom", "b": "demo"}[one["file"]], "image": image})
    text = write_paper_report(rows, {"phantom": "in distribution", "demo": "anatomy shift"}, tmp_path)
    assert "## In distribution" in text
    assert "## Anatomy shift" in text
    assert "Contrast shift" not in text
    for name in ("paper.md", "failures.png", "boxes-in-distribution.png", "boxes-anatomy-shift.png"):
        assert (tmp_path / name).stat().st_size > 100
