"""The title of the standard deviation says what it is, as the record of the run knows it."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace
from typing import Any

import pytest

from napari_pogmdm.gui.core.captions import Captions
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.calibration import MISFIT, NOT_AN_UNCERTAINTY, shipped_calibration
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import Phase, TracePoint


class Titles:
    """Stands in for the layer book."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}

    def state(self, role: str, words: str) -> None:
        self.said[role] = words


def title_of_deviation(name: str, **facts: Any) -> str:
    """Give the title in a run of a preset whose record holds these facts; one without facts has not ended."""
    result = SimpleNamespace(record=SimpleNamespace(sampler=facts)) if facts else None
    return titles_of(name, result=result)[Role.DEVIATION]


def titles_of(name: str, **facts: Any) -> dict[str, str]:
    """Give the titles of a run of a preset, in a session with these facts."""
    status = SimpleNamespace(phase=Phase.FINISHED, behind=False)
    usual = {"recording": None, "trace": (), "result": None, "reference": None, "measurement": None, "status": status}
    session: Any = SimpleNamespace(**{**usual, **facts})
    measurement = SimpleNamespace(sampling=SimpleNamespace(acceleration=4.0))
    request: Any = SimpleNamespace(prior=load_prior("flf-tc"), settings=preset(name), measurement=measurement)
    book: Any = Titles()
    Captions(session, book).show_run(request, ())
    return dict(book.said)


@pytest.mark.parametrize("name", ["posterior", "default"])
def test_before_the_end_the_preset_tells(name):
    known = shipped_calibration("posterior", "flf-tc")
    assert known is not None
    assert title_of_deviation(name) == {"posterior": known.words, "default": NOT_AN_UNCERTAINTY}[name]


def test_a_record_of_data_that_do_not_fit_withdraws_the_word():
    assert title_of_deviation("posterior", calibration={"words": MISFIT}) == MISFIT


def test_the_title_of_an_earlier_state_has_its_own_decibels():
    points = [TracePoint(0, 0, count, 0.4, 3.0 + count, *[math.nan] * 4, (1.0, 1.0)) for count in range(3)]
    seen = SimpleNamespace(point=dataclasses.replace(points[1], psnr=math.nan))  # not taken with every picture
    unknown = SimpleNamespace(point=TracePoint(0, 5, 0, 0.4, *[math.nan] * 5, (1.0, 1.0)))
    back = SimpleNamespace(phase=Phase.PAUSED, behind=True)
    title = titles_of("paper", trace=points, frame=seen, status=back)[Role.IMAGE]
    assert title.endswith("4.0 dB"), "and not those of the newest state"
    assert titles_of("paper", trace=points, frame=seen)[Role.IMAGE].endswith("5.0 dB")
    assert "dB" not in titles_of("paper", trace=points, frame=unknown, status=back)[Role.IMAGE]
