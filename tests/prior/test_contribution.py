"""What single filters bring to the score."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from napari_pogmdm.errors import InputError


@pytest.mark.parametrize("kind", ["flf-tc", "sh-1"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
def test_contributions_of_all_filters_sum_to_the_score(make: Any, kind: str, dtype: torch.dtype) -> None:
    prior = make.rough_prior(kind)
    image = make.piecewise_image(40, 44).to(dtype)
    parts = [prior.contribution(image, 0.05, k) for k in range(prior.configuration.filters)]
    score = prior.score(image, 0.05)
    assert ((sum(parts) - score).abs().max() / score.abs().max()).item() < 1e-5
    assert parts[0].abs().max() > 0


def test_a_contribution_pulls_through_its_own_filter_alone(make: Any) -> None:
    prior = make.rough_prior("flf-tc")
    impulse = torch.zeros(24, 24)
    impulse[12, 12] = 0.3
    part = prior.contribution(impulse, 0.05, 3)
    energy = lambda x: prior.energy(x, 0.05)  # noqa: E731
    reached = part.abs() > 1e-6
    assert reached[8:17, 8:17].sum() == reached.sum()
    assert energy((impulse + 1e-4 * part).double()) < energy(impulse.double())


def test_a_filter_that_does_not_exist_is_refused(make: Any) -> None:
    prior = make.rough_prior("flf-tc")
    with pytest.raises(InputError, match="choose 0 to 19"):
        prior.contribution(torch.zeros(24, 24), 0.05, 20)
