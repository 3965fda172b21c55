"""Networks learn, and go on exactly where they were stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from napari_pogmdm.errors import Cancelled, InputError
from napari_pogmdm.prior.networks.configuration import NetworkConfiguration
from napari_pogmdm.training.loop import Rhythm
from napari_pogmdm.training.networks.checkpoint import NetworkState, load_network_state, save_network_state
from napari_pogmdm.training.networks.settings import NetworkTrainingSettings
from napari_pogmdm.training.networks.trainer import averaged_network, reconstruction_loss, train_network
from napari_pogmdm.training.unrolled.scans import ScanSource
from napari_pogmdm.training.volumes.slices import load_slices

SMALL = NetworkConfiguration(width=6, growth=2, depth=2, blocks=1)
QUICK = NetworkTrainingSettings(iterations=30, batch=4, patch=32, rate=5e-3, half_precision=False, seed=2)


def run(state: NetworkState, folder: Path, out: Path, stop: int = 10**6) -> None:
    out.mkdir(exist_ok=True)
    train_network(
        state, load_slices(folder), out, lambda _: None, lambda: state.iteration >= stop, rhythm=Rhythm(10, 10)
    )


def test_learns_to_denoise_and_resumes_exactly(volumes_folder: Path, tmp_path: Path) -> None:
    whole = NetworkState.begin(SMALL, QUICK)
    run(whole, volumes_folder, tmp_path / "whole")
    assert [point.iteration for point in whole.history] == [10, 20, 30]
    assert whole.history[-1].psnr[-1] > whole.history[0].psnr[-1] + 0.3
    stopped = NetworkState.begin(SMALL, QUICK)
    with pytest.raises(Cancelled):
        run(stopped, volumes_folder, tmp_path / "part", stop=13)
    again = load_network_state(tmp_path / "part")
    assert again.iteration == 13
    run(again, volumes_folder, tmp_path / "part")
    for name, values in whole.averaged.items():
        torch.testing.assert_close(again.averaged[name], values, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("change", [{"cleaning": 0.8}, {"shrinking": 1.0}])
def test_networks_learn_from_prepared_slices(volumes_folder: Path, tmp_path: Path, change: dict[str, float]) -> None:
    """They are larger and noisier here than those of the other tests, so that there is something to prepare."""
    folder = tmp_path / "large"
    folder.mkdir()
    stack = np.load(volumes_folder / "first.npy").repeat(2, axis=1).repeat(2, axis=2)
    np.save(folder / "large.npy", stack + 20 * np.random.default_rng(0).standard_normal(stack.shape, np.float32))
    found = []
    for settings in (replace(QUICK, iterations=2), replace(QUICK, iterations=2, **change)):
        state = NetworkState.begin(SMALL, settings)
        run(state, folder, tmp_path / "out")
        found.append(torch.cat([values.flatten() for values in state.averaged.values()]))
    assert not torch.equal(*found)


def test_a_network_learns_from_whole_reconstructions(large_volumes: Path, tmp_path: Path) -> None:
    """One scan again and again, so that its error must fall; at first the network changes nothing."""
    state = NetworkState.begin(SMALL, replace(QUICK, iterations=4, rate=1e-3, scans=1))
    scan = ScanSource(load_slices(large_volumes), state.settings.seed).draw(1, 0)
    before = reconstruction_loss(state.network, scan, half=False)
    run(state, large_volumes, tmp_path / "out")
    after = reconstruction_loss(state.network, scan, half=False)
    assert float(after.detach()) < float(before.detach()) - 0.1


def test_the_error_of_a_reconstruction_has_its_slope_in_the_network(large_volumes: Path) -> None:
    network = NetworkState.begin(SMALL, QUICK).network
    scan = ScanSource(load_slices(large_volumes), 0).draw(2, 0)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        network.tail.weight.copy_(0.05 * torch.randn(network.tail.weight.shape, generator=generator))
    reconstruction_loss(network, scan, half=False).backward()
    values = network.head.weight
    assert values.grad is not None
    slope = float(values.grad.norm())
    along, found = values.grad / slope, []
    for sign in (1, -1):
        with torch.no_grad():
            values += sign * 1e-2 * along
            found.append(float(reconstruction_loss(network, scan, half=False)))
            values -= sign * 1e-2 * along
    assert slope > 0
    assert slope == pytest.approx((found[0] - found[1]) / 2e-2, rel=0.05)


def test_a_training_may_begin_with_a_trained_network(tmp_path: Path) -> None:
    trained = averaged_network(NetworkState.begin(SMALL, replace(QUICK, seed=7)), "first")
    state = NetworkState.begin(SMALL, QUICK, trained)
    assert state.begun_with.startswith("first (parameters ")
    save_network_state(state, tmp_path)
    assert load_network_state(tmp_path).begun_with == state.begun_with
    for name, values in trained.parameters.items():
        assert torch.equal(state.averaged[name], values), name
        assert torch.equal(dict(state.network.named_parameters())[name], values), name


def test_a_bad_checkpoint_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no checkpoint"):
        load_network_state(tmp_path)
    (tmp_path / "checkpoint.safetensors").write_bytes(b"\x00" * 64)
    with pytest.raises(InputError, match="not a readable checkpoint"):
        load_network_state(tmp_path)
