"""A network in the place of a prior: Tweedie's formula, weight files, samplers."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from napari_pogmdm.data.simulate import phantom_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.networks.configuration import NetworkConfiguration
from napari_pogmdm.prior.networks.prior import SMALLEST_SIGMA, NetworkPrior, network_shapes
from napari_pogmdm.prior.weights import load_experts, load_prior, parameter_hash, save_prior
from napari_pogmdm.recon.measurement import undersample
from napari_pogmdm.recon.methods import reconstruct

SMALL = NetworkConfiguration(width=4, growth=2, depth=2, blocks=1)


@pytest.fixture
def prior() -> NetworkPrior:
    generator = torch.Generator().manual_seed(0)
    shapes = network_shapes(SMALL)
    return NetworkPrior(SMALL, {name: 0.1 * torch.randn(s, generator=generator) for name, s in shapes.items()}, "small")


def test_score_and_estimate_obey_tweedies_formula(prior: NetworkPrior) -> None:
    x = torch.randn(2, 20, 24, dtype=torch.complex64)
    score = prior.score(x, 0.2)
    assert score.shape == x.shape
    torch.testing.assert_close(prior.denoise(x, 0.2), x + 0.04 * score)
    torch.testing.assert_close(score.real, prior.score(x.real.contiguous(), 0.2))
    torch.testing.assert_close(prior.score(x, 0.0), prior.score(x, SMALLEST_SIGMA))
    torch.testing.assert_close(prior.denoise(x, 0.0), x)


def test_takes_arrays_and_doubles(prior: NetworkPrior) -> None:
    x = np.random.default_rng(0).random((20, 24))
    found = prior.denoise(x, 0.1)
    assert isinstance(found, np.ndarray)
    doubles = prior.denoise(torch.from_numpy(x), 0.1)
    assert doubles.dtype == torch.float64
    np.testing.assert_allclose(found, doubles.numpy(), atol=1e-5)


@pytest.mark.parametrize(("shape", "sigma"), [((3, 9), 0.1), ((9,), 0.1), ((9, 9), -1.0), ((9, 9), float("nan"))])
def test_refuses_what_has_no_score(prior: NetworkPrior, shape: tuple[int, ...], sigma: float) -> None:
    with pytest.raises(InputError):
        prior.score(torch.zeros(shape), sigma)


def test_weight_file_round_trip(prior: NetworkPrior, tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    save_prior(prior, path, "mine", {"iterations": 3})
    again = load_prior(path)
    assert isinstance(again, NetworkPrior)
    assert (again.name, again.configuration, again.parameter_count) == ("mine", SMALL, prior.parameter_count)
    rounded = NetworkPrior(SMALL, {name: values.half() for name, values in prior.parameters.items()})
    assert parameter_hash(again) == parameter_hash(rounded)
    assert path.stat().st_size < 3 * prior.parameter_count + 10_000  # two bytes a number, and the summary
    x = torch.randn(12, 12)
    torch.testing.assert_close(again.score(x, 0.1), rounded.score(x, 0.1))
    with pytest.raises(InputError, match="network"):
        load_experts(path, "Inspecting")


def test_damaged_weights_are_refused(prior: NetworkPrior, tmp_path: Path) -> None:
    path = tmp_path / "bad.safetensors"
    save_prior(NetworkPrior(NetworkConfiguration(), prior.parameters), path, "bad", {})
    with pytest.raises(InputError, match="tensor"):
        load_prior(path)
    save_prior(NetworkPrior(SMALL, {k: v * float("nan") for k, v in prior.parameters.items()}), path, "bad", {})
    with pytest.raises(InputError, match="NaN"):
        load_prior(path)


def test_travels_to_other_processes(prior: NetworkPrior) -> None:
    again = pickle.loads(pickle.dumps(prior))  # what multiprocessing does; never a file
    x = torch.randn(12, 12)
    torch.testing.assert_close(again.score(x, 0.1), prior.score(x, 0.1))


@pytest.mark.parametrize(("preset", "iterations"), [("fast", 2), ("posterior", 2), ("paper", 10)])
def test_every_algorithm_takes_it(prior: NetworkPrior, preset: str, iterations: int) -> None:
    calm = NetworkPrior(SMALL, {name: 0.3 * values for name, values in prior.parameters.items()}, "calm")
    mask = make_mask("cartesian", (40, 36), 2, 0.3, seed=5)
    measurement = undersample(phantom_scan((40, 36), coils=3)[0], mask)
    settings = {"iterations": iterations, "choose": "none", "map_sets": 1}
    result = reconstruct(measurement, model=calm, preset=preset, **settings)
    assert np.isfinite(result.image).all()
    assert result.record.sampler["model"] == "calm"
