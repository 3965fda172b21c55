"""Small volumes to train on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def volumes_folder(tmp_path: Path) -> Path:
    """Two volumes of twelve slices with discs on a dark ground, and a split."""
    folder = tmp_path / "volumes"
    folder.mkdir()
    rng = np.random.default_rng(0)
    y, x = np.mgrid[-1:1:80j, -1:1:72j]
    for name in ("first", "second"):
        stack = np.zeros((12, 80, 72))
        for image in stack:
            for _ in range(8):
                cx, cy, r, v = rng.uniform(-0.8, 0.8, 4)
                image += abs(v) * ((x - cx) ** 2 + (y - cy) ** 2 < r * r)
        np.save(folder / f"{name}.npy", (700 * stack).astype(np.float32))
    rules = '{"first.npy": {"test": [[4, 5]], "validation": [[8, 8]], "leave_out": [[3, 3], [6, 6]]}}'
    (folder / "split.json").write_text(rules)
    return folder


@pytest.fixture
def large_volumes(tmp_path: Path) -> Path:
    """Discs of 100 x 96 pixels: patches of 88 fit in."""
    folder = tmp_path / "large"
    folder.mkdir()
    rng = np.random.default_rng(0)
    y, x = np.mgrid[-1:1:100j, -1:1:96j]
    for name in ("first", "second"):
        stack = np.zeros((6, 100, 96), dtype=np.float32)
        for image in stack:
            for _ in range(9):
                cx, cy, r, v = rng.uniform(-0.8, 0.8, 4)
                image += np.float32(abs(v)) * ((x - cx) ** 2 + (y - cy) ** 2 < r * r)
        np.save(folder / f"{name}.npy", stack)
    return folder
