"""A torch that gets complex inner products wrong is found out before it makes an image."""

from __future__ import annotations

import pytest
import torch

from napari_pogmdm.data.phantom import shepp_logan
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.methods import make_stepper
from napari_pogmdm.runtime.inner_products import multiplies


def test_this_torch_is_right() -> None:
    assert multiplies()


def test_a_wrong_one_makes_no_image(monkeypatch: pytest.MonkeyPatch) -> None:
    scan = simulate_scan(shepp_logan((32, 32)), coils=2)
    measurement = undersample(scan, make_mask("cartesian", scan.shape, 4))
    monkeypatch.setattr(torch, "vdot", lambda first, second: torch.zeros((), dtype=first.dtype))
    with pytest.raises(InputError, match="inner products wrong"):
        make_stepper(measurement, "cg-sense")
