"""A prior in numbers and pictures, from the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.mark.slow
def test_inspect_says_and_draws(succeed, sentence, misuse, tmp_path: Path) -> None:
    picture = tmp_path / "model.png"
    output = succeed("inspect", "sh-1", "--png", picture, "--dpi", "40")
    assert '"parameters": 928' in output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "dpi" in misuse("inspect", "sh-1", "--dpi", "20")
    assert "png" in sentence("inspect", "sh-1", "--png", tmp_path / "model.svg")
