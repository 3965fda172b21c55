"""The list of bundled priors, from the terminal."""

from __future__ import annotations

import json

from napari_pogmdm.prior.configuration import FURTHER_MODELS, VARIANTS
from napari_pogmdm.recon.defaults import DEFAULT_MODEL


def test_models_lists_them(succeed) -> None:
    listed = json.loads(succeed("models", "--json"))
    assert {entry["name"]: entry["parameters"] for entry in listed} == {
        name: configuration.parameter_count for name, configuration in {**VARIANTS, **FURTHER_MODELS}.items()
    }
    assert DEFAULT_MODEL in succeed("models")
