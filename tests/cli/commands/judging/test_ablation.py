"""The paper's tables from the terminal."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from napari_pogmdm.prior.weights import list_models


@pytest.mark.slow
def test_ablation_prints_tables_and_writes_json(succeed, sentence, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    image = np.kron(np.random.default_rng(0).random((3, 6, 6)), np.ones((6, 6)))
    np.save(data / "volume.npy", image)
    (data / "split.json").write_text('{"volume.npy": {"validation": [[0, 0]], "test": [[1, 1]]}}')
    out = tmp_path / "tables.json"
    said = succeed("ablation", "--data", data, "-o", out)
    assert "One-step denoising" in said
    assert "(36.97)" in said
    assert "Scales" not in said
    assert set(json.loads(out.read_text())["denoising"]) == {"sh-1", "sh-2", "flf", "flf-tc"}
    folder = tmp_path / "weights"
    folder.mkdir()
    paths = {entry.name: entry.path for entry in list_models()}
    for name, model in (("flf-tc", "flf-tc"), ("flf-tc-2", "flf-tc-clean")):
        (folder / f"{name}.safetensors").write_bytes(paths[model].read_bytes())
    said = succeed("ablation", "--data", data, "--weights", folder)
    assert said.count("±") == 4
    assert "give scans" in sentence("ablation")
    assert "no C9/1" in sentence("ablation", "phantom", "--masks", "C9/1")
