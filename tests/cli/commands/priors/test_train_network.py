"""Training a network from the terminal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.prior.networks.prior import NetworkPrior
from napari_pogmdm.prior.weights import load_prior


@pytest.mark.slow
def test_train_network_writes_weights_and_a_card(succeed, sentence, tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    rng = np.random.default_rng(1)
    np.save(data / "volume.npy", np.cumsum(rng.random((12, 40, 40)), axis=-1).astype(np.float32))
    arguments = ["train-network", "--data", data, "--out", out, "--batch", "1", "--patch", "32", "--iterations", "2"]
    assert succeed(*arguments, "--name", "mine").strip() == str(out / "mine.safetensors")
    prior = load_prior(out / "mine.safetensors")
    assert isinstance(prior, NetworkPrior)
    assert "| volume.npy | 11 | 1 | 0 |" in (out / "mine.md").read_text()
    assert "--resume" in sentence(*arguments)
    succeed(*arguments, "--resume", "--name", "mine")
    assert "is not a file name" in sentence(*arguments, "--name", "../other")
    assert "network" in sentence("inspect", out / "mine.safetensors")
