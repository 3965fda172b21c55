"""Rivals as ordinary methods: by name, with a user's checkpoint, with progress and cancelling, and recorded."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import InputError
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.rivals.apply import apply_network
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.weights import load_rival
from napari_pogmdm.runs.as_text import command_line, python_code
from napari_pogmdm.runs.repeat import rival_of
from rivals.tiny import measured, tiny_network


@pytest.fixture(params=list(Rival))
def checkpoint(request, tmp_path):
    path = tmp_path / f"{request.param}.pt"
    torch.save(tiny_network(request.param).state_dict(), path)
    return request.param, path


def test_stepping_through_a_network_gives_what_the_whole_network_gives(checkpoint):
    rival, path = checkpoint
    measurement = measured(coils=3, noise=0.01)
    told = []
    found = reconstruct(measurement, rival.value, model=path, progress=lambda *counts: told.append(counts))
    with torch.no_grad():
        whole = apply_network(load_rival(rival, path).network, measurement.kspace, measurement.measured)
    expected = whole.clamp_min(0).numpy() * measurement.scale
    assert np.allclose(found.image, expected, atol=1e-4 * expected.max())
    assert told[-1][0] == told[-1][1] == len(told)
    assert found.own_coils is None
    assert found.record.sampler["parameters"] == load_rival(rival, path).parameters


def test_a_cancelled_network_gives_what_it_has(checkpoint):
    rival, path = checkpoint
    found = reconstruct(measured(), rival.value, model=path, cancelled=lambda: True)
    assert found.record.stopped
    assert np.isfinite(found.image).all()


def test_a_record_names_the_checkpoint_for_the_next_time(checkpoint):
    rival, path = checkpoint
    record = reconstruct(measured(), rival.value, model=path).record
    assert rival_of(record) == {"model": str(path.resolve())}
    record.scan.update({"scan": "phantom"})
    assert f"--model {path.resolve()}" in command_line(record)
    assert f"model='{path.resolve()}'" in python_code(record)


def test_what_is_not_for_rivals_is_refused(tmp_path):
    with pytest.raises(InputError, match="chains: is for pogmdm, not for varnet"):
        reconstruct(measured(), "varnet", chains=2)
    with pytest.raises(InputError, match="varnet has no 'steps'"):
        reconstruct(measured(), "varnet", steps=2)
    torch.save(tiny_network(Rival.UNET).state_dict(), tmp_path / "unet.pt")
    with pytest.raises(InputError, match="holds a unet, not a varnet"):
        reconstruct(measured(), "varnet", model=tmp_path / "unet.pt")
