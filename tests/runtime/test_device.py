from __future__ import annotations

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.device import Device, choose_device


@pytest.fixture
def found(monkeypatch):
    """Pretend that certain devices are there."""

    def pretend(*names: str) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: "cuda" in names)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: "mps" in names)

    return pretend


@pytest.mark.parametrize(("there", "chosen"), [((), "cpu"), (("mps",), "mps"), (("cuda", "mps"), "cuda")])
def test_the_fastest_device_is_taken_where_nothing_is_asked_for(found, there, chosen):
    found(*there)
    choice = choose_device()
    assert choice.name == chosen
    assert choice.reason


def test_a_device_that_is_asked_for_is_taken_or_refused(found):
    found("cuda")
    assert choose_device(Device.CPU).name == "cpu"
    assert choose_device("cpu").reason == "it was asked for"
    assert choose_device("cuda").name == "cuda"
    with pytest.raises(InputError, match="mps is not available"):
        choose_device("mps")
    with pytest.raises(InputError, match="unknown 'abacus'; choose from auto, cpu, cuda, mps"):
        choose_device("abacus")


def test_a_device_that_this_computer_has_is_chosen_by_default():
    assert choose_device().name in {"cpu", "cuda", "mps"}
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="not available"):
            choose_device("cuda")
