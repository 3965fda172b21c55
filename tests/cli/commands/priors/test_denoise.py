"""Tweedie's formula on image files, from the terminal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from napari_pogmdm.prior.configuration import Variant
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.algorithms.denoising import denoise_in_steps


@pytest.fixture(scope="module")
def noisy_brain() -> np.ndarray:
    y, x = np.mgrid[-1:1:64j, -1:1:48j]
    clean = 0.7 * (x**2 + y**2 < 0.6) + 0.2 * (abs(x) < 0.2)
    return (clean + 0.1 * np.random.default_rng(0).standard_normal(clean.shape)).astype(np.float32)


@pytest.mark.parametrize("model", list(Variant))
def test_denoise_is_tweedies_formula_and_helps(succeed, tmp_path: Path, noisy_brain: np.ndarray, model: str) -> None:
    np.save(tmp_path / "in.npy", noisy_brain)
    succeed("denoise", tmp_path / "in.npy", "--sigma", "0.1", "--model", model, "-o", tmp_path / "out.npy")
    result = np.load(tmp_path / "out.npy")
    expected = load_prior(model).denoise(torch.from_numpy(noisy_brain), 0.1).numpy()
    np.testing.assert_allclose(result, expected, atol=1e-5)
    dark = noisy_brain[:6, :6]
    assert result[:6, :6].std() < 0.5 * dark.std()


def test_denoise_takes_several_steps_on_request(succeed, misuse, tmp_path: Path, noisy_brain: np.ndarray) -> None:
    given, out = tmp_path / "in.npy", tmp_path / "out.npy"
    np.save(given, noisy_brain)
    succeed("denoise", given, "--sigma", "0.1", "--steps", "8", "-o", out)
    prior = load_prior("flf-tc")
    np.testing.assert_allclose(np.load(out), denoise_in_steps(prior, noisy_brain, 0.1, steps=8), atol=1e-5)
    assert np.load(out)[:6, :6].std() < prior.denoise(noisy_brain, 0.1)[:6, :6].std()
    for steps in ("0", "101", "2.5"):
        refusal = misuse("denoise", given, "--sigma", "0.1", "--steps", steps, "-o", tmp_path / "none.npy")
        assert "Invalid value for '--steps'" in refusal
    assert not (tmp_path / "none.npy").exists()


def test_denoise_keeps_png_and_nifti_what_they_are(succeed, tmp_path: Path, noisy_brain: np.ndarray) -> None:
    nibabel = pytest.importorskip("nibabel")
    Image.fromarray((np.clip(noisy_brain, 0, 1) * 255).astype(np.uint8)).save(tmp_path / "in.png")
    succeed("denoise", tmp_path / "in.png", "--sigma", "0.1", "-o", tmp_path / "out.png")
    with Image.open(tmp_path / "out.png") as picture:
        pixels = np.asarray(picture)
    assert pixels.shape == noisy_brain.shape
    assert pixels.dtype == np.uint16
    affine = np.diag([2.0, 3.0, 4.0, 1.0])
    volume = np.stack([noisy_brain.T, 2 * noisy_brain.T], axis=-1)
    nibabel.save(nibabel.Nifti1Image(volume, affine), tmp_path / "in.nii.gz")
    succeed("denoise", tmp_path / "in.nii.gz", "--sigma", "0.1", "-o", tmp_path / "out.nii.gz")
    result = nibabel.load(tmp_path / "out.nii.gz")
    assert result.shape == volume.shape
    np.testing.assert_allclose(result.affine, affine)
    np.save(tmp_path / "slice.npy", noisy_brain)
    succeed("denoise", tmp_path / "slice.npy", "--sigma", "0.1", "-o", tmp_path / "slice-out.npy")
    np.testing.assert_allclose(result.get_fdata()[..., 0].T, np.load(tmp_path / "slice-out.npy"), atol=1e-5)


def test_denoise_normalises_on_request(succeed, tmp_path: Path, noisy_brain: np.ndarray) -> None:
    peak = float(np.abs(noisy_brain).max())
    np.save(tmp_path / "in.npy", noisy_brain / peak)
    np.save(tmp_path / "bright.npy", 900 * noisy_brain / peak)
    succeed("denoise", tmp_path / "in.npy", "--sigma", "0.08", "-o", tmp_path / "a.npy")
    bright = [tmp_path / "bright.npy", "--sigma", "0.08", "--normalise", "-o", tmp_path / "b.npy"]
    succeed("denoise", *bright)
    np.testing.assert_allclose(np.load(tmp_path / "b.npy"), 900 * np.load(tmp_path / "a.npy"), rtol=1e-3, atol=0.1)


def test_denoise_refuses_bad_input_in_one_sentence(sentence, tmp_path: Path, noisy_brain: np.ndarray) -> None:
    good, out = tmp_path / "in.npy", tmp_path / "out.npy"
    np.save(good, noisy_brain)
    contents = {"text.npy": b"hello", "text.png": b"hello", "text.nii": b"hello", "other.doc": b"hello"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        assert name in sentence("denoise", tmp_path / name, "--sigma", "0.1", "-o", out)
    np.save(tmp_path / "nan.npy", np.full((8, 8), np.nan))
    assert "NaN" in sentence("denoise", tmp_path / "nan.npy", "--sigma", "0.1", "-o", out)
    np.save(tmp_path / "line.npy", np.zeros(8))
    assert "not an image" in sentence("denoise", tmp_path / "line.npy", "--sigma", "0.1", "-o", out)
    Image.new("RGB", (8, 8)).save(tmp_path / "colour.png")
    assert "colour" in sentence("denoise", tmp_path / "colour.png", "--sigma", "0.1", "-o", out)
    assert "no such file" in sentence("denoise", tmp_path / "none.npy", "--sigma", "0.1", "-o", out)
    assert "sigma" in sentence("denoise", good, "--sigma", "-1", "-o", out)
    assert "ending" in sentence("denoise", good, "--sigma", "0.1", "-o", tmp_path / "out.jpg")
    assert "folder" in sentence("denoise", good, "--sigma", "0.1", "-o", tmp_path / "no" / "out.npy")
    assert "flf-tc" in sentence("denoise", good, "--sigma", "0.1", "--model", "huge", "-o", out)
    assert not Path(out).exists()
