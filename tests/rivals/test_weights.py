"""Checkpoints in every published layout load and run; whatever else is one sentence."""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from napari_pogmdm.data.phantom import smooth_phase
from napari_pogmdm.data.simulate import simulate_scan
from napari_pogmdm.data.sources import demo_scan
from napari_pogmdm.errors import InputError
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.prior.networks.prior import NetworkPrior
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import metrics
from napari_pogmdm.rivals.apply import apply_network
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.shapes import JsenseShape
from napari_pogmdm.rivals.weights import load_rival, memory_notice, save_rival
from rivals.damaged import Danger, damaged
from rivals.tiny import TINY, scan, tiny_network


def layouts(rival: Rival) -> dict[str, object]:
    """What the published programs save: a bare state dict, Lightning's, that of Deep J-Sense, parallel training's."""
    state = tiny_network(rival).state_dict()
    prefix = {Rival.UNET: "unet.", Rival.VARNET: "varnet.", Rival.JSENSE: "module."}[rival]
    prefixed = {prefix + name: values for name, values in state.items()}
    return {
        "bare": state,
        "lightning": {"state_dict": {**prefixed, "loss.w": torch.ones(1, 1, 7, 7)}, "epoch": 3},
        "with loss": {**state, "loss.w": torch.ones(1, 1, 7, 7)},
        "nested": {"epoch": 1, "model_state_dict": state, "ssim_log": [0.5]},
        "double": {name: values.double() for name, values in state.items()},
    }


@pytest.mark.parametrize("rival", list(Rival))
def test_every_published_layout_loads_and_runs(rival, tmp_path):
    kspace, mask, _ = scan()
    expected = {}
    for name, content in layouts(rival).items():
        path = tmp_path / f"{name}.pt"
        torch.save(content, path)
        model = load_rival(rival, path)
        assert model.shape.kind is rival
        assert model.source == str(path.resolve())
        with torch.no_grad():
            expected[name] = apply_network(model.network, kspace, mask)
        assert expected[name].shape == mask.shape
        assert bool(expected[name].isfinite().all())
    assert all(torch.equal(expected["bare"], image) for image in expected.values())


@pytest.mark.parametrize("rival", list(Rival))
def test_what_is_saved_here_comes_back(rival, tmp_path):
    network = tiny_network(rival)
    path = tmp_path / "own.safetensors"
    save_rival(network, TINY[rival], path, {"trained_on": {"masks": "C4/8", "acceleration": 4.0}})
    model = load_rival(rival, path)
    assert model.shape == TINY[rival]
    assert model.trained_on.masks == "C4/8"
    again = dict(model.network.named_parameters())
    assert all(torch.equal(values.half().float(), again[name]) for name, values in network.named_parameters())
    plain = tmp_path / "plain.safetensors"
    save_file({name: values.detach().half() for name, values in network.named_parameters()}, plain)
    assert load_rival(rival, plain).sha256 == model.sha256 or rival is Rival.JSENSE  # its rounds are not in its tensors


def test_a_published_deep_jsense_gets_the_published_rounds(tmp_path):
    torch.save(tiny_network(Rival.JSENSE).state_dict(), tmp_path / "knee.pt")
    shape = load_rival(Rival.JSENSE, tmp_path / "knee.pt").shape
    assert isinstance(shape, JsenseShape)
    assert (shape.rounds, shape.cg_iterations, shape.kernel_rows, shape.kernel_columns) == (6, 4, 15, 9)


def test_a_pickle_that_wants_more_is_refused_with_the_way_out_and_nothing_runs(tmp_path, capsys):
    path = tmp_path / "knee.pt"
    torch.save({"model_state_dict": tiny_network(Rival.JSENSE).state_dict(), "hparams": Danger()}, path)
    with pytest.raises(
        InputError, match=r"knee\.pt: would run its own code.*torch\.save\(torch\.load\('knee\.pt'"
    ) as told:
        load_rival(Rival.JSENSE, path)
    assert "\n" not in str(told.value)
    path.write_bytes(pickle.dumps({"weights": Danger()}))
    with pytest.raises(InputError):
        load_rival(Rival.JSENSE, path)
    assert "this ran" not in capsys.readouterr().out


def test_damaged_and_foreign_checkpoints_are_one_sentence(tmp_path):
    for name, path in damaged(tmp_path).items():
        with pytest.raises(InputError) as told:
            load_rival(Rival.VARNET, path)
        assert "\n" not in str(told.value), name
        assert len(str(told.value)) < 500, name


def test_memory_is_told_before_a_large_checkpoint_is_loaded(tmp_path, monkeypatch):
    path = tmp_path / "large.pt"
    with path.open("wb") as stream:
        stream.truncate(2_000_000_000)  # sparse: takes no room
    assert "500 million parameters take 2.0 GB" in memory_notice(path)
    assert memory_notice("") == ""
    monkeypatch.setattr("napari_pogmdm.rivals.weights.free_memory", lambda device: 10**9)
    with pytest.raises(InputError, match=r"takes 2\.0 GB of memory, but 1\.0 GB are free"):
        load_rival(Rival.UNET, path)


TRAINED = Path(__file__).parents[2] / "examples" / "one-mask"
LARGEST = 2 * 2**20  # bytes of a file of weights


@pytest.fixture(scope="module")
def head():
    """A head that no network has seen, with coils and noise as in their training."""
    image = reference_image(demo_scan()[0])
    phase = smooth_phase(image.shape, np.random.default_rng(1))
    return simulate_scan(image * np.exp(1j * phase), coils=8, noise=0.01, seed=1)


def psnr(head, method: str, axis: str = "columns") -> float:
    options = {} if method == "zero-filled" else {"model": TRAINED / f"{method}.safetensors"}
    measurement = undersample(head, make_mask("cartesian", head.shape, 4, 0.08, axis=axis))
    return metrics(reference_image(head), reconstruct(measurement, method, **options).image).psnr


@pytest.mark.parametrize(
    ("rival", "parameters"), [(Rival.VARNET, 1_000_106), (Rival.UNET, 480_929), (Rival.JSENSE, 28_930)]
)
def test_a_trained_file_is_small_and_its_card_is_about_it(rival, parameters):
    path = TRAINED / f"{rival}.safetensors"
    assert path.stat().st_size <= LARGEST
    card = (TRAINED / f"{rival}-card.txt").read_text()
    assert hashlib.sha256(path.read_bytes()).hexdigest() in card
    model = load_rival(rival, path)
    assert model.parameters == parameters
    assert f"{parameters:,}" in card
    assert (model.trained_on.masks, model.trained_on.anatomy, model.trained_on.contrast) == ("C4/8", "brain", "T1")


def test_the_trained_score_is_small_and_its_card_is_about_it():
    path = TRAINED / "score.safetensors"
    assert path.stat().st_size <= LARGEST
    card = (TRAINED / "score-card.txt").read_text()
    assert hashlib.sha256(path.read_bytes()).hexdigest() in card
    score = load_prior(path)
    assert isinstance(score, NetworkPrior)
    assert f"{score.parameter_count} learned parameters" in card
    assert f"- {score.information['training']['iterations']} iterations" in card


@pytest.mark.parametrize("method", ["varnet", "unet"])
def test_a_trained_network_unfolds_columns_and_not_rows(head, method):
    gain = {axis: psnr(head, method, axis) - psnr(head, "zero-filled", axis) for axis in ("columns", "rows")}
    assert gain["columns"] > 2
    assert gain["rows"] < gain["columns"] - 1.5


def test_a_trained_deep_jsense_unfolds_rows_as_well(head):
    for axis in ("columns", "rows"):
        assert psnr(head, "jsense", axis) > psnr(head, "zero-filled", axis) + 3
