"""Parameter counts, and the paper's misprints that concern them."""

from __future__ import annotations

import math

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import VARIANTS, PriorConfiguration, shears


@pytest.mark.parametrize(("scales", "filters", "count"), [(1, 10, 928), (2, 20, 1558), (3, 38, 2692), (4, 56, 3826)])
def test_shearlet_counts(scales: int, filters: int, count: int) -> None:
    """Three scales have 2692 parameters; the paper's 2962 swaps two digits."""
    configuration = PriorConfiguration(family="shearlet", scales=scales)
    assert configuration.filters == filters
    assert configuration.parameter_count == count


@pytest.mark.parametrize(("sharing", "count"), [("none", 1558), ("within", 1054), ("across", 928), ("both", 676)])
def test_sharing_counts(sharing: str, count: int) -> None:
    """Sharing within a cone leaves 1054 parameters; the paper prints the count of sharing across cones."""
    assert PriorConfiguration(family="shearlet", sharing=sharing).parameter_count == count


@pytest.mark.parametrize(("name", "count"), [("flf", 1760), ("flf-tc", 7348), ("flf-softplus", 1820)])
def test_fully_learned_counts(name: str, count: int) -> None:
    """The network's hidden width of 64, which the paper does not print, is the only one that gives 7348."""
    assert VARIANTS[name].parameter_count == count


def test_number_of_shears_follows_the_counts_and_not_the_printed_rule() -> None:
    assert [2 * shears(scale) + 1 for scale in (1, 2, 3, 4)] == [5, 5, 9, 9]
    printed = [2 * math.ceil(2 ** (scale // 2)) + 1 for scale in (1, 2, 3, 4)]
    assert 298 + 63 * 2 * printed[0] != 928


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_sigma_0_is_a_standard_deviation(name: str) -> None:
    """The paper prints sigma_0^2 = (vmax - vmin) / (L - 1); it is the deviation that equals the means' spacing."""
    configuration = VARIANTS[name]
    assert configuration.sigma_0 == pytest.approx(2 * configuration.bound / 124)
    assert configuration.bound == (1.0 if name == "flf" else 0.5)


def test_sharing_joins_the_right_filters() -> None:
    within = PriorConfiguration(family="shearlet", scales=1, sharing="within").assignment
    assert within == (0, 1, 2, 1, 0, 3, 4, 5, 4, 3)
    across = PriorConfiguration(family="shearlet", scales=1, sharing="across").assignment
    assert across == (0, 1, 2, 3, 4, 0, 1, 2, 3, 4)
    both = PriorConfiguration(family="shearlet", scales=1, sharing="both").assignment
    assert both == (0, 1, 2, 1, 0, 0, 1, 2, 1, 0)


def test_configuration_survives_json() -> None:
    for configuration in VARIANTS.values():
        assert PriorConfiguration.from_dict(configuration.to_dict()) == configuration


@pytest.mark.parametrize(
    "change",
    [
        {"family": "wavelet"},
        {"filter_size": 4},
        {"filter_count": 0},
        {"filter_count": True},
        {"filter_count": "20"},
        {"scales": 5},
        {"components": 124},
        {"bound": -1.0},
        {"bound": float("nan")},
        {"conditioning": "magic"},
        {"surprise": 1},
    ],
)
def test_impossible_configurations_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(InputError):
        PriorConfiguration.from_dict(PriorConfiguration().to_dict() | change)
