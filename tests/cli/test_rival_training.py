"""Training a rival from the terminal, anew and from trained weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.rivals.weights import load_rival

TINY = [f"--set={text}" for text in ("chans=2", "pools=1", "sens_chans=2", "sens_pools=1", "cascades=1")]
SHORT = [f"--set={text}" for text in ("iterations=2", "rows=0", "size=32", "fewest_coils=2", "most_coils=2")]


@pytest.fixture
def volumes(tmp_path: Path) -> Path:
    folder = tmp_path / "volumes"
    folder.mkdir()
    np.save(folder / "volume.npy", np.random.default_rng(1).random((4, 32, 32)).astype(np.float32))
    return folder


def test_a_training_starts_with_trained_weights(succeed, sentence, volumes: Path, tmp_path: Path) -> None:
    train = ["train", "--rival", "varnet", "--data", volumes, *SHORT]
    first = succeed(*train, "--out", tmp_path / "first", *TINY, "--anatomy", "brain").strip()
    assert load_rival("varnet", first).trained_on.anatomy == "brain"
    frozen = ["--set=rate=0", "--start", first]
    same = load_rival("varnet", succeed(*train, "--out", tmp_path / "same", *frozen).strip())
    assert same.sha256 == load_rival("varnet", first).sha256
    grown = load_rival("varnet", succeed(*train, "--out", tmp_path / "grown", "--set=cascades=2", *frozen).strip())
    assert grown.shape.to_dict() == same.shape.to_dict() | {"cascades": 2}
    assert "may grow" in sentence(*train, "--out", tmp_path / "other", "--set=chans=3", *frozen)
    unet = ["train", "--rival", "unet", "--data", volumes, "--out", tmp_path / "unet", *SHORT, *frozen]
    assert "holds a varnet, not a unet" in sentence(*unet)
    assert "no such file" in sentence(*train, "--out", tmp_path / "none", "--start", tmp_path / "missing.pt")
    assert not (tmp_path / "other").exists()
