"""Where training volumes come from."""

from __future__ import annotations


def test_training_data_has_help(succeed) -> None:
    assert "DIR" in succeed("training-data", "fetch", "--help")
