"""Checkpoints that no rival can use: one sentence and exit code 2 in the terminal, whatever is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.weights import save_rival
from rivals.damaged import damaged
from rivals.tiny import TINY, tiny_network


def test_reconstruct_refuses_them_all(sentence, fastmri_file, tmp_path: Path) -> None:
    scan, out = fastmri_file(), tmp_path / "out.h5"
    for name, path in damaged(tmp_path).items():
        told = sentence("reconstruct", scan, "--method", "varnet", "--model", path, "-o", out)
        assert path.name in told, name
        assert not out.exists(), name


@pytest.mark.parametrize("name", ["not finite", "another", "nothing", "folder", "runs code", "header of a gigabyte"])
def test_evaluate_and_training_refuse_them(sentence, fastmri_file, tmp_path: Path, name: str) -> None:
    path, scan, out = damaged(tmp_path)[name], fastmri_file(), tmp_path / "out"
    assert path.name in sentence("evaluate", scan, "--methods", f"varnet:{path}", "-o", out)
    train = ["train", "--rival", "varnet", "--data", tmp_path, "--out", out, "--start", path]
    assert path.name in sentence(*train)


def test_a_network_of_another_kind_is_refused_with_its_own_method(sentence, fastmri_file, tmp_path: Path) -> None:
    path, scan = tmp_path / "mine.safetensors", fastmri_file()
    save_rival(tiny_network(Rival.VARNET), TINY[Rival.VARNET], path, {})
    for method in ("unet", "jsense"):
        told = sentence("reconstruct", scan, "--method", method, "--model", path, "-o", tmp_path / "out.h5")
        assert f"holds a varnet, not a {method}; choose --method varnet" in told
    told = sentence("reconstruct", scan, "--method", "score-mri", "--model", path, "-o", tmp_path / "out.h5")
    assert "mine.safetensors" in told
