from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.sampler.algorithms.by_name import make_sampler
from napari_pogmdm.recon.sampler.presets import PRESETS, preset
from napari_pogmdm.recon.sampler.state import load_state, save_state


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_saved_run_goes_on_bit_by_bit(prior, small, name, tmp_path: Path):
    settings = replace(preset(name), iterations=20, injected_noise=0.3)
    sampler = make_sampler(small, prior, settings, seeds=(1, 2))
    state = sampler.substep(sampler.step(sampler.start()))
    save_state(state, tmp_path / "state.safetensors")
    resumed = load_state(tmp_path / "state.safetensors")
    fresh = make_sampler(small, prior, settings, seeds=(1, 2))
    for _ in range(2):
        state, resumed = sampler.step(state), fresh.step(resumed)
    assert torch.equal(state.image, resumed.image)
    assert torch.equal(state.coils, resumed.coils)
    assert state.iteration == resumed.iteration
    (tmp_path / "bad").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a readable sampler state"):
        load_state(tmp_path / "bad")
