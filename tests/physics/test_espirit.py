from __future__ import annotations

import sys

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.coils import low_pass_coils, normalise
from napari_pogmdm.physics.espirit import espirit_coils


def agreement(found: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """1 where coil vectors are parallel, whatever the pixel's phase."""
    return torch.linalg.vecdot(normalise(found), normalise(true), dim=0).abs()


@pytest.mark.slow
def test_espirit_coils_are_closer_still(kspace, coils, head):
    found = espirit_coils(kspace, (24, 24))
    assert float(agreement(found, coils)[head].mean()) > float(
        agreement(low_pass_coils(kspace, (20, 20)), coils)[head].mean()
    )


def test_espirit_says_what_it_needs(kspace, monkeypatch):
    with pytest.raises(InputError, match="too small to calibrate"):
        espirit_coils(kspace, (96, 4))
    monkeypatch.setitem(sys.modules, "sigpy.mri.app", None)
    with pytest.raises(InputError, match=r"napari-pogmdm\[baselines\]"):
        espirit_coils(kspace, (24, 24))
