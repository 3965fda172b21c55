"""A rival's training lowers its loss, can be interrupted, and goes on to the same bits."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from napari_pogmdm.errors import Cancelled
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.training.rivals.loop import train_rival
from napari_pogmdm.training.rivals.settings import Loss, RivalSettings
from napari_pogmdm.training.rivals.state import RivalState, load_state
from napari_pogmdm.training.volumes.slices import load_slices
from rivals.tiny import TINY

QUICK = RivalSettings(iterations=6, size=40, fewest_coils=2, most_coils=3, warm_up=1, seed=3)


def ignore(*_: object) -> None:
    pass


@pytest.mark.slow
@pytest.mark.parametrize("rival", list(Rival))
def test_an_interrupted_training_goes_on_to_the_same_bits(rival, volumes_folder, tmp_path):
    volumes = load_slices(volumes_folder)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    through = RivalState.begin(TINY[rival], QUICK)
    train_rival(through, volumes, whole, ignore, every=3)
    broken = RivalState.begin(TINY[rival], QUICK)
    with pytest.raises(Cancelled):
        train_rival(broken, volumes, parts, ignore, cancelled=lambda: broken.iteration == 4, every=3)
    again = load_state(parts)
    assert again.iteration == 4
    train_rival(again, volumes, parts, ignore, every=3)
    for name, values in through.network.named_parameters():
        assert torch.equal(values, dict(again.network.named_parameters())[name]), name
        assert torch.equal(through.averaged[name], again.averaged[name]), name
        assert torch.equal(through.second[name], again.second[name]), name
    assert [point.psnr for point in through.history] == [point.psnr for point in again.history]


def test_a_unet_learns(volumes_folder, tmp_path):
    settings = replace(QUICK, iterations=60, rate=0.01, warm_up=5, average=0.9)
    state = RivalState.begin(TINY[Rival.UNET], settings)
    losses = []
    train_rival(state, load_slices(volumes_folder), tmp_path, lambda progress: losses.append(progress.loss), every=30)
    assert losses[-1] < losses[0]
    assert state.history[-1].psnr > state.history[0].psnr


def test_ssim_trains_too(volumes_folder, tmp_path):
    state = RivalState.begin(TINY[Rival.VARNET], replace(QUICK, loss=Loss.SSIM, iterations=3))
    train_rival(state, load_slices(volumes_folder), tmp_path, ignore)
    assert all(bool(values.isfinite().all()) for values in state.network.parameters())
