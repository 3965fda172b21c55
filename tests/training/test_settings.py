from __future__ import annotations

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.training.settings import TrainingSettings


@pytest.mark.parametrize(
    "change",
    [{"iterations": 0}, {"batch": 0}, {"noise": "pink"}, {"sigma_max": float("nan")}, {"average": 1.0}, {"colour": 1}],
)
def test_impossible_settings_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(InputError):
        TrainingSettings.from_dict(TrainingSettings().to_dict() | change)


def test_rates_fall_along_a_cosine() -> None:
    settings = TrainingSettings(iterations=1000, decay=0.5, filter_rate=0.01)
    assert settings.rate("filters", 400) == 0.01
    assert settings.rate("filters", 750) == pytest.approx(0.005)
    assert settings.rate("filters", 1000) == pytest.approx(0.0)
