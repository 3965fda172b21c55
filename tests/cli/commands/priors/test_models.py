"""The list of bundled priors, from the terminal."""

from __future__ import annotations

import json

from napari_pogmdm.prior.configuration import VARIANTS
from napari_pogmdm.prior.weights import FURTHER_MODELS, MODEL_NAMES


def test_models_lists_them(succeed) -> None:
    listed = json.loads(succeed("models", "--json"))
    assert {entry["name"]: entry["parameters"] for entry in listed} == {
        name: VARIANTS[FURTHER_MODELS.get(name, name)].parameter_count for name in MODEL_NAMES
    }
    assert "flf-tc" in succeed("models")
