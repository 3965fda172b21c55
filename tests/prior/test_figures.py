from __future__ import annotations

from typing import Any

import pytest

from napari_pogmdm.prior.figures import PAPER_LEVELS, draw_curves, draw_model


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["flf", "sh-1"])
def test_every_filter_has_its_kernel_spectrum_and_potential(make: Any, kind: str) -> None:
    prior = make.rough_prior(kind)
    figure = draw_model(prior)
    shown = [axes for axes in figure.get_axes() if axes.get_visible()]
    count = prior.configuration.filters
    assert len(shown) == 3 * count + 2
    assert sum(len(axes.images) for axes in shown) == 2 * count
    assert str(prior.parameter_count) in figure.get_suptitle()
    conditioning, mean_potential = shown[-2:]
    assert len(conditioning.lines) == count
    assert len(mean_potential.lines) == len(PAPER_LEVELS)


def test_curves_end_with_their_last_value() -> None:
    figure = draw_curves([100, 200], [(30.0, 25.0), (31.5, 26.25)], (0.05, 0.1))
    (axes,) = figure.get_axes()
    assert [line.get_ydata().tolist() for line in axes.lines] == [[30, 31.5], [25, 26.25]]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "0.05" in labels[0]
    assert "31.50 dB" in labels[0]
    assert "26.25 dB" in labels[1]
