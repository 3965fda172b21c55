from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from napari_pogmdm.prior.scores.convolution_kernels import look_up
from napari_pogmdm.prior.scores.lookup import interpolate


@pytest.mark.parametrize("chosen", [slice(None), slice(3, 5)])
def test_torch_looks_up_what_the_compiled_loop_does(make: Any, chosen: slice) -> None:
    table = make.rough_prior("flf").table(0.1)
    count = len(range(*chosen.indices(20)))
    responses = torch.randn(2, count, 9, 8, generator=torch.Generator().manual_seed(0))
    responses[0, 0, 0, 0] = 50.0  # far beyond the last node
    found = interpolate(responses, table, chosen)
    for k, index in enumerate(range(*chosen.indices(20))):
        for plane in range(2):
            expected = np.empty(72, dtype=np.float32)
            row = responses[plane, k].flatten().numpy()
            look_up(row, table.cells[index], table.inverse_steps[index], expected)
            np.testing.assert_allclose(found[plane, k].flatten().numpy(), expected, rtol=1e-4, atol=1e-4)


def test_precision_follows_the_responses(make: Any) -> None:
    table = make.rough_prior("flf").table(0.1)
    for dtype in (torch.float32, torch.float64):
        assert interpolate(torch.zeros(20, 3, 3, dtype=dtype), table).dtype == dtype
