"""Small volumes to train on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


def discs(slices: int, shape: tuple[int, int], count: int, rng: np.random.Generator) -> np.ndarray:
    """Draw slices with bright discs on a dark ground."""
    y, x = (np.linspace(-1, 1, extent) for extent in shape)
    stack = np.zeros((slices, *shape))
    for image in stack:
        for _ in range(count):
            cx, cy, r, v = rng.uniform(-0.8, 0.8, 4)
            image += abs(v) * ((x - cx) ** 2 + (y[:, None] - cy) ** 2 < r * r)
    return stack


@pytest.fixture
def volumes_folder(tmp_path: Path) -> Path:
    """Two volumes of twelve slices with discs on a dark ground, and a split."""
    folder = tmp_path / "volumes"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for name in ("first", "second"):
        np.save(folder / f"{name}.npy", (700 * discs(12, (80, 72), 8, rng)).astype(np.float32))
    rules = '{"first.npy": {"test": [[4, 5]], "validation": [[8, 8]], "leave_out": [[3, 3], [6, 6]]}}'
    (folder / "split.json").write_text(rules)
    return folder


@pytest.fixture
def large_volumes(tmp_path: Path) -> Path:
    """Discs of 100 x 96 pixels: patches of 88 fit in."""
    folder = tmp_path / "large"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for name in ("first", "second"):
        np.save(folder / f"{name}.npy", discs(6, (100, 96), 9, rng).astype(np.float32))
    return folder
