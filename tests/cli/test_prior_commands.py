"""The terminal's commands about priors: training, denoising, listing and drawing them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import typer
from PIL import Image
from typer.testing import CliRunner

from napari_pogmdm.cli.commands.denoise import denoise
from napari_pogmdm.cli.commands.inspect import inspect
from napari_pogmdm.cli.commands.models import models
from napari_pogmdm.cli.commands.train import train
from napari_pogmdm.cli.commands.training_data import app as training_data
from napari_pogmdm.errors import InputError
from napari_pogmdm.prior.configuration import VARIANTS
from napari_pogmdm.prior.weights import list_models, load_prior

app = typer.Typer()
for command in (denoise, inspect, models, train):
    app.command()(command)
app.add_typer(training_data, name="training-data")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def noisy_brain() -> np.ndarray:
    y, x = np.mgrid[-1:1:64j, -1:1:48j]
    clean = 0.7 * (x**2 + y**2 < 0.6) + 0.2 * (abs(x) < 0.2)
    return (clean + 0.1 * np.random.default_rng(0).standard_normal(clean.shape)).astype(np.float32)


def test_shipped_models_are_complete() -> None:
    assert [entry.name for entry in list_models()] == list(VARIANTS)
    for entry in list_models():
        card = entry.card.read_text(encoding="utf-8")
        assert entry.sha256 in card
        assert str(entry.parameter_count) in card
        assert load_prior(entry.name).parameter_count == entry.parameter_count
        assert entry.path.stat().st_size < 100_000


def test_models_lists_them() -> None:
    listed = json.loads(run("models", "--json"))
    assert {entry["name"]: entry["parameters"] for entry in listed} == {
        name: configuration.parameter_count for name, configuration in VARIANTS.items()
    }
    assert "flf-tc" in run("models")


@pytest.mark.parametrize("model", list(VARIANTS))
def test_denoise_is_tweedies_formula_and_helps(tmp_path: Path, noisy_brain: np.ndarray, model: str) -> None:
    np.save(tmp_path / "in.npy", noisy_brain)
    run("denoise", str(tmp_path / "in.npy"), "--sigma", "0.1", "--model", model, "-o", str(tmp_path / "out.npy"))
    result = np.load(tmp_path / "out.npy")
    expected = load_prior(model).denoise(torch.from_numpy(noisy_brain), 0.1).numpy()
    np.testing.assert_allclose(result, expected, atol=1e-5)
    dark = noisy_brain[:6, :6]
    assert result[:6, :6].std() < 0.5 * dark.std()


def test_denoise_keeps_png_and_nifti_what_they_are(tmp_path: Path, noisy_brain: np.ndarray) -> None:
    nibabel = pytest.importorskip("nibabel")
    Image.fromarray((np.clip(noisy_brain, 0, 1) * 255).astype(np.uint8)).save(tmp_path / "in.png")
    run("denoise", str(tmp_path / "in.png"), "--sigma", "0.1", "-o", str(tmp_path / "out.png"))
    with Image.open(tmp_path / "out.png") as picture:
        pixels = np.asarray(picture)
    assert pixels.shape == noisy_brain.shape
    assert pixels.dtype == np.uint16
    affine = np.diag([2.0, 3.0, 4.0, 1.0])
    volume = np.stack([noisy_brain.T, 2 * noisy_brain.T], axis=-1)
    nibabel.save(nibabel.Nifti1Image(volume, affine), tmp_path / "in.nii.gz")
    run("denoise", str(tmp_path / "in.nii.gz"), "--sigma", "0.1", "-o", str(tmp_path / "out.nii.gz"))
    result = nibabel.load(tmp_path / "out.nii.gz")
    assert result.shape == volume.shape
    np.testing.assert_allclose(result.affine, affine)
    np.save(tmp_path / "slice.npy", noisy_brain)
    run("denoise", str(tmp_path / "slice.npy"), "--sigma", "0.1", "-o", str(tmp_path / "slice-out.npy"))
    np.testing.assert_allclose(result.get_fdata()[..., 0].T, np.load(tmp_path / "slice-out.npy"), atol=1e-5)


def test_denoise_normalises_on_request(tmp_path: Path, noisy_brain: np.ndarray) -> None:
    peak = float(np.abs(noisy_brain).max())
    np.save(tmp_path / "in.npy", noisy_brain / peak)
    np.save(tmp_path / "bright.npy", 900 * noisy_brain / peak)
    run("denoise", str(tmp_path / "in.npy"), "--sigma", "0.08", "-o", str(tmp_path / "a.npy"))
    bright = [str(tmp_path / "bright.npy"), "--sigma", "0.08", "--normalise", "-o", str(tmp_path / "b.npy")]
    run("denoise", *bright)
    np.testing.assert_allclose(np.load(tmp_path / "b.npy"), 900 * np.load(tmp_path / "a.npy"), rtol=1e-3, atol=0.1)


def bad(folder: Path, *arguments: str) -> str:
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_denoise_refuses_bad_input_in_one_sentence(tmp_path: Path, noisy_brain: np.ndarray) -> None:
    good, out = tmp_path / "in.npy", str(tmp_path / "out.npy")
    np.save(good, noisy_brain)
    contents = {"text.npy": b"hello", "text.png": b"hello", "text.nii": b"hello", "other.doc": b"hello"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        assert name in bad(tmp_path, "denoise", str(tmp_path / name), "--sigma", "0.1", "-o", out)
    np.save(tmp_path / "nan.npy", np.full((8, 8), np.nan))
    assert "NaN" in bad(tmp_path, "denoise", str(tmp_path / "nan.npy"), "--sigma", "0.1", "-o", out)
    np.save(tmp_path / "line.npy", np.zeros(8))
    assert "no image" in bad(tmp_path, "denoise", str(tmp_path / "line.npy"), "--sigma", "0.1", "-o", out)
    Image.new("RGB", (8, 8)).save(tmp_path / "colour.png")
    assert "colour" in bad(tmp_path, "denoise", str(tmp_path / "colour.png"), "--sigma", "0.1", "-o", out)
    assert "no such file" in bad(tmp_path, "denoise", str(tmp_path / "none.npy"), "--sigma", "0.1", "-o", out)
    assert "sigma" in bad(tmp_path, "denoise", str(good), "--sigma", "-1", "-o", out)
    assert "ending" in bad(tmp_path, "denoise", str(good), "--sigma", "0.1", "-o", str(tmp_path / "out.jpg"))
    assert "folder" in bad(tmp_path, "denoise", str(good), "--sigma", "0.1", "-o", str(tmp_path / "no" / "out.npy"))
    assert "flf-tc" in bad(tmp_path, "denoise", str(good), "--sigma", "0.1", "--model", "huge", "-o", out)
    assert not Path(out).exists()


def test_inspect_says_and_draws(tmp_path: Path) -> None:
    picture = tmp_path / "model.png"
    output = run("inspect", "sh-1", "--png", str(picture), "--dpi", "40")
    assert '"parameters": 928' in output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "png" in bad(tmp_path, "inspect", "sh-1", "--png", str(tmp_path / "model.svg"))


def test_train_writes_weights_and_goes_on(tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    rng = np.random.default_rng(1)
    np.save(data / "volume.npy", np.cumsum(rng.random((12, 60, 60)), axis=-1).astype(np.float32))
    small = ["--filters", "3", "--filter-size", "3", "--patch", "24", "--batch", "2", "--every", "3"]
    arguments = ["train", "--variant", "flf", "--data", str(data), "--out", str(out), *small]
    assert run(*arguments, "--iterations", "6").strip() == str(out / "flf.safetensors")
    prior = load_prior(out / "flf.safetensors")
    assert prior.filters.shape == (3, 3, 3)
    assert "| volume.npy | 11 | 1 | 0 |" in (out / "flf.md").read_text()
    assert (out / "curve.png").exists()
    assert (out / "model.png").exists()
    assert "--resume" in bad(tmp_path, *arguments)
    run(*arguments, "--resume")
    assert "variant" in bad(tmp_path, "train", "--variant", "gan", "--data", str(data), "--out", str(out))
    assert "no checkpoint" in bad(tmp_path, "train", "--data", str(data), "--out", str(tmp_path / "new"), "--resume")


def test_training_data_has_help() -> None:
    assert "DIR" in run("training-data", "fetch", "--help")
