"""Training from the terminal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.prior.weights import load_prior


@pytest.mark.slow
def test_train_writes_weights_and_goes_on(succeed, sentence, misuse, tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    rng = np.random.default_rng(1)
    np.save(data / "volume.npy", np.cumsum(rng.random((12, 60, 60)), axis=-1).astype(np.float32))
    small = ["--filters", "3", "--filter-size", "3", "--patch", "24", "--batch", "2", "--every", "3"]
    arguments = ["train", "--variant", "flf", "--data", data, "--out", out, *small]
    assert succeed(*arguments, "--iterations", "6").strip() == str(out / "flf.safetensors")
    prior = load_prior(out / "flf.safetensors")
    assert prior.filters.shape == (3, 3, 3)
    assert "| volume.npy | 11 | 1 | 0 |" in (out / "flf.md").read_text()
    assert (out / "curve.png").exists()
    assert (out / "model.png").exists()
    assert "--resume" in sentence(*arguments)
    named = succeed(*arguments, "--resume", "--name", "flf-small").strip()
    assert named == str(out / "flf-small.safetensors")
    assert load_prior(named).name == "flf-small"
    assert "no name for a file" in sentence(*arguments, "--resume", "--name", "a/b")
    refusal = misuse("train", "--variant", "gan", "--data", data, "--out", out)
    assert "'--variant'" in refusal
    assert "'gan' is not one of 'sh-1', " in refusal
    assert "no checkpoint" in sentence("train", "--data", data, "--out", tmp_path / "new", "--resume")
    further = ["train", "--variant", "flf", "--data", data, "--out", tmp_path / "further", "--iterations", "1", *small]
    start = ["--start", out / "flf.safetensors"]
    assert "of another kind" in sentence(*further, "--filters", "2", *start)
    softplus = [*further, "--conditioning", "softplus", "--out", tmp_path / "softplus"]
    assert load_prior(succeed(*softplus).strip()).configuration.conditioning == "softplus"
    larger = ["--filter-size", "5", "--filter-rate", "0", "--weight-rate", "0"]
    grown = load_prior(succeed(*further, *larger, *start).strip())
    np.testing.assert_allclose(grown.filters[:, 1:-1, 1:-1], load_prior(out / "flf.safetensors").filters, atol=1e-6)
