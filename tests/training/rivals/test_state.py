"""Checkpoints of a rival's training: damaged ones are one sentence; the optimiser is Adam."""

from __future__ import annotations

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.training.rivals.settings import RivalSettings
from napari_pogmdm.training.rivals.state import FILE_NAME, RivalState, load_state, save_state
from rivals.tiny import TINY


def test_its_steps_are_those_of_adam():
    state = RivalState.begin(TINY[Rival.UNET], RivalSettings(warm_up=0, decay=0.0, rate=0.01))
    reference = TINY[Rival.UNET].make()
    reference.load_state_dict(state.network.state_dict())
    adam = torch.optim.Adam(reference.parameters(), lr=0.01)
    for step in range(1, 4):
        state.iteration = step
        for one, other in zip(state.network.parameters(), reference.parameters(), strict=True):
            one.grad = torch.randn(one.shape, generator=torch.Generator().manual_seed(step))
            other.grad = one.grad.clone()
        state.adam_step()
        adam.step()
    for one, other in zip(state.network.parameters(), reference.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_the_pulls_of_deep_jsense_stay_above_zero():
    state = RivalState.begin(TINY[Rival.JSENSE], RivalSettings(warm_up=0, decay=0.0, rate=0.1))
    state.iteration = 1
    weights = dict(state.network.named_parameters())
    before = {name: values.detach().clone() for name, values in weights.items()}
    for values in weights.values():
        values.grad = torch.ones_like(values)
    state.adam_step()
    for name, values in weights.items():
        expected = before[name] - 0.1
        torch.testing.assert_close(values.detach(), expected.clamp_min(0) if "l2lam" in name else expected)


def test_damaged_checkpoints_are_one_sentence(tmp_path):
    with pytest.raises(InputError, match="start without --resume"):
        load_state(tmp_path)
    save_state(RivalState.begin(TINY[Rival.VARNET], RivalSettings()), tmp_path)
    assert load_state(tmp_path).shape == TINY[Rival.VARNET]
    content = (tmp_path / FILE_NAME).read_bytes()
    for damaged in (content[:100], content.replace(b'\\"chans\\": 2', b'\\"chans\\": 3'), b""):
        (tmp_path / FILE_NAME).write_bytes(damaged)
        with pytest.raises(InputError) as told:
            load_state(tmp_path)
        assert "\n" not in str(told.value)
