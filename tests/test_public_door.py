"""What a physicist tries first from Python: plain arrays in, one verb, a result that saves and prints itself."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

import napari_pogmdm as pg
from napari_pogmdm.recon.defaults import DEFAULT_MODEL
from napari_pogmdm.rivals.names import Rival
from napari_pogmdm.rivals.weights import bundled_rivals

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def scan() -> pg.Acquisition:
    return pg.phantom_scan((48, 40), coils=4)[0]


@pytest.fixture(scope="module")
def kspace(scan) -> np.ndarray:
    return scan.kspace


@pytest.fixture(scope="module")
def mask() -> np.ndarray:
    return pg.make_mask("cartesian", (48, 40), 2, 0.3).samples


@pytest.fixture(scope="module")
def y(kspace, mask) -> pg.Measurement:
    return pg.measure(kspace, mask)


@pytest.mark.slow
def test_the_script_of_a_physicist(kspace, mask, scan, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    truth = pg.reference_image(scan)
    y = pg.measure(kspace, mask)
    result = pg.reconstruct(y)
    baseline = pg.reconstruct(y, "cg-sense")
    print(pg.metrics(truth, result.image), result)  # noqa: T201 - what the physicist writes
    result.save("mine.h5")
    printed = capsys.readouterr().out
    assert "psnr=" in printed
    assert f"<Reconstruction pogmdm/{DEFAULT_MODEL}, 48 x 40, 4 coils" in printed
    assert pg.metrics(truth, result.image).psnr > pg.metrics(truth, baseline.image).psnr
    assert pg.read_records("mine.h5")[0].method == "pogmdm"
    with h5py.File("mine.h5") as file:
        np.testing.assert_array_equal(file["reconstruction"][0], result.image)
        np.testing.assert_array_equal(file["complex_image"][0], result.complex_image)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/python-interface.md"])
def test_the_scripts_of_pages_run(page, tmp_path: Path, monkeypatch):
    scripts = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert scripts
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for script in scripts:
        exec(compile(script, page, "exec"), names)


def test_stepping_by_hand(y):
    sampler = pg.make_sampler(y, pg.load_prior("flf-tc"), pg.preset("fast"))
    state = sampler.step(sampler.step(sampler.start()))
    assert repr(state) == "<SamplerState iteration 2, substep 0, 48 x 40>"
    assert sampler.estimate(state).magnitude.shape == (48, 40)


def test_arrays_of_any_kind_give_the_same_measurement(kspace, mask, scan):
    once = pg.measure(kspace, mask)
    for other in (
        pg.measure(torch.from_numpy(kspace), torch.from_numpy(mask)),
        pg.measure(kspace.astype(np.complex128), mask.astype(int)),
        pg.measure(kspace, mask[0]),
        pg.measure(kspace * mask),
        pg.measure(pg.Acquisition(kspace), pg.Mask(mask)),
    ):
        torch.testing.assert_close(other.kspace, once.kspace)
    assert pg.measure(kspace[0], mask).kspace.shape == (1, 48, 40)
    assert pg.measure(scan, pg.Mask(mask), coils=2).kspace.shape == (2, 48, 40)


@pytest.mark.slow
def test_one_verb_for_every_method_with_its_settings(y):
    shipped = [method for method in pg.Method if method not in {*Rival} or method in bundled_rivals()]
    for method in shipped:
        assert pg.reconstruct(y, method).record.method == method
    few = pg.reconstruct(y, preset="fast", iterations=3, chains=2, seed=4, injected_noise=0.5)
    assert few.record.settings["iterations"] == 3
    assert few.variance is not None
    again = pg.reconstruct(y, model=pg.load_prior("flf-tc"), preset=pg.preset("fast"), iterations=3, seed=4)
    assert again.record.sampler["model"] == "flf-tc"
    assert pg.reconstruct(y, "tv", steps=3).record.settings["steps"] == 3


def test_the_complex_image_is_the_one_that_the_coils_see(y, kspace, mask):
    result = pg.reconstruct(y, preset="fast")
    assert result.complex_image is not None
    assert result.coils is not None
    coil_images = result.coils * result.complex_image
    seen = np.fft.fftshift(np.fft.fft2(np.fft.ifftshift(coil_images, axes=(1, 2)), norm="ortho"), axes=(1, 2)) * mask
    assert np.linalg.norm(seen - kspace * mask) < 0.2 * np.linalg.norm(kspace * mask)


def test_a_prior_denoises_plain_arrays(scan):
    truth = pg.reference_image(scan)
    noisy = truth + 0.1 * np.random.default_rng(0).normal(size=truth.shape)
    clean = pg.load_prior("flf-tc").denoise(noisy, 0.1)
    assert isinstance(clean, np.ndarray)
    assert np.abs(clean - truth).mean() < np.abs(noisy - truth).mean()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda k, m, y: pg.measure(k.real, m), "k-space is complex"),
        (lambda k, m, y: pg.measure(k[0, 0], m), "give (coils, rows, columns)"),
        (lambda k, m, y: pg.measure("scan.h5", m), "open files with open_scan"),
        (lambda k, m, y: pg.measure(k, m[:5]), "mask: has shape (5, 40)"),
        (lambda k, m, y: pg.measure(k, 3 * m.astype(int)), "values other than true and false"),
        (lambda k, m, y: pg.measure(np.nan * k, m), "NaN or infinite"),
        (lambda k, m, y: pg.measure(0 * k), "zero everywhere"),
        (lambda k, m, y: pg.measure([[1, 2], [3]], m), "cannot be read as an array"),
        (lambda k, m, y: pg.reconstruct(k), "takes what measure(kspace, mask) gives, not a ndarray of shape"),
        (lambda k, m, y: pg.reconstruct(y, "magic"), "unknown 'magic'; choose from pogmdm"),
        (lambda k, m, y: pg.reconstruct(y, iterationz=3), "iterationz"),
        (lambda k, m, y: pg.reconstruct(y, iterations="many"), "iterations: 'many'"),
        (lambda k, m, y: pg.reconstruct(y, "zero-filled", steps=3), "zero-filled has no 'steps'"),
        (lambda k, m, y: pg.reconstruct(y, "tv", chains=3), "chains: is for pogmdm, not for tv"),
        (lambda k, m, y: pg.reconstruct(y, preset="quick"), "unknown 'quick'"),
        (lambda k, m, y: pg.reconstruct(y, preset=5), "a int is neither a name"),
        (lambda k, m, y: pg.reconstruct(y, model="nothing"), "nothing"),
        (lambda k, m, y: pg.reconstruct(y, chains=0), "chains: 0 is not a whole number"),
        (lambda k, m, y: pg.reconstruct(y, seed=-1), "seed: -1 is not a whole number"),
        (lambda k, m, y: pg.load_prior("flf-tc").denoise([1.0], 0.1), "not a list"),
    ],
)
def test_what_does_not_fit_gets_one_sentence(kspace, mask, y, wrong, sentence):
    with pytest.raises(pg.InputError) as caught:
        wrong(kspace, mask, y)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_printed_has_shapes_instead_of_numbers(y, scan, mask):
    prior = pg.load_prior("flf-tc")
    result = pg.reconstruct(y, preset="fast")
    for thing in (y, scan, pg.Mask(mask), prior, result, pg.make_sampler(y, prior, pg.preset("fast")).start()):
        assert len(repr(thing)) < 160, thing
        assert "48 x 40" in repr(thing) or thing is prior


def test_what_a_worker_process_needs_can_be_sent(y, scan, mask):
    for thing in (y, scan, pg.Mask(mask), pg.preset("default"), pg.reconstruct(y, preset="fast", iterations=2)):
        assert repr(pickle.loads(pickle.dumps(thing))) == repr(thing)
