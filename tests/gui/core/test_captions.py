"""The title of the standard deviation says what it is, as the record of the run knows it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from napari_pogmdm.gui.core.captions import Captions
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.calibration import MISFIT, NOT_AN_UNCERTAINTY, shipped_calibration
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import Phase


class Titles:
    """Stands in for the layer book."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}

    def state(self, role: str, words: str) -> None:
        self.said[role] = words


def title_of_deviation(name: str, **facts: Any) -> str:
    """Give the title in a run of a preset whose record holds these facts; one without facts has not ended."""
    result = SimpleNamespace(record=SimpleNamespace(sampler=facts)) if facts else None
    status = SimpleNamespace(phase=Phase.FINISHED)
    session = SimpleNamespace(recording=None, trace=(), result=result, reference=None, measurement=None, status=status)
    measurement = SimpleNamespace(sampling=SimpleNamespace(acceleration=4.0))
    request = SimpleNamespace(prior=load_prior("flf-tc"), settings=preset(name), measurement=measurement)
    book: Any = Titles()
    run: Any = request
    anything: Any = session
    Captions(anything, book).show_run(run, ())
    return str(book.said[Role.DEVIATION])


@pytest.mark.parametrize("name", ["posterior", "default"])
def test_before_the_end_the_preset_tells(name):
    known = shipped_calibration("posterior")
    assert known is not None
    assert title_of_deviation(name) == {"posterior": known.words, "default": NOT_AN_UNCERTAINTY}[name]


def test_a_record_of_data_that_do_not_fit_withdraws_the_word():
    assert title_of_deviation("posterior", calibration={"words": MISFIT}) == MISFIT
