"""Training a network from the terminal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

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
    further = [*arguments[:4], tmp_path / "further", *arguments[5:], "--start"]
    assert "is no network" in sentence(*further, "flf-tc")
    assert not (tmp_path / "further").exists()
    begun = load_prior(succeed(*further, out / "mine.safetensors", "--rate", "0").strip())
    assert all(
        torch.equal(begun.parameters[name], values)
        for name, values in load_prior(out / "mine.safetensors").parameters.items()
    )
    assert "network" in sentence("inspect", out / "mine.safetensors")


def test_the_score_of_a_rival_is_this_network(succeed, sentence, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    np.save(data / "volume.npy", np.random.default_rng(1).random((6, 40, 40)).astype(np.float32))
    small = {"batch": 1, "patch": 32, "iterations": 2, "seed": 3}
    own = [part for name, value in small.items() for part in (f"--{name}", value)]
    given = [part for name, value in small.items() for part in ("--set", f"{name}={value}")]
    network = load_prior(succeed("train-network", "--data", data, "--out", tmp_path / "own", *own).strip())
    out = tmp_path / "score"
    rival = ["train", "--rival", "score", "--data", data, "--out", out]
    path = succeed(*rival, *given).strip()
    assert path == str(out / "score.safetensors")
    noisy = torch.rand(1, 32, 32)
    assert torch.equal(load_prior(path).score(noisy, 0.1), network.score(noisy, 0.1))
    succeed(*rival, "--resume", "--set", "iterations=3")
    assert not torch.equal(load_prior(path).score(noisy, 0.1), network.score(noisy, 0.1))
    assert "--resume" in sentence(*rival, *given)
    fresh = ["train", "--rival", "score", "--data", data, "--out", tmp_path / "fresh"]
    assert "acceleration" in sentence(*fresh, "--set", "acceleration=4")
    assert "neither --start nor" in sentence(*fresh, "--anatomy", "brain")
    assert "--set name=value" in sentence(*fresh, "--patch", "64")
    assert not (tmp_path / "fresh").exists()
