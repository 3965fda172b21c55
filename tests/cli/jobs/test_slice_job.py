"""Slices on a cluster have the bits of slices here, whether or not workers see the files."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.prior.weights import load_prior, save_prior
from napari_pogmdm.runtime.pool.cluster import Cluster

QUICK = ("--preset", "fast", "--set", "iterations=3", "--acceleration", "2", "--acs", "0.2", "--slice", "all")


def timeless(facts):
    """Leave out how long something took."""
    if isinstance(facts, dict):
        return {name: timeless(fact) for name, fact in facts.items() if name != "seconds"}
    return [timeless(fact) for fact in facts] if isinstance(facts, list) else facts


def content(path: Path) -> tuple[dict[str, np.ndarray], list[dict]]:
    with h5py.File(path) as file:
        record = json.loads(file["record"][()])
        arrays = {name: file[name][()] for name in file if name != "record"}
    return arrays, timeless(record)


def assert_same(one: Path, other: Path) -> None:
    (arrays, record), (others, recorded) = content(one), content(other)
    assert record == recorded
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, others[name])


@pytest.mark.slow
@pytest.mark.parametrize("seen", [True, False])
def test_a_cluster_gives_the_same_bits(run, scheduler, fastmri_file, tmp_path, monkeypatch, seen):
    scan, own, mask = fastmri_file(), tmp_path / "own.safetensors", tmp_path / "mask.npy"
    save_prior(load_prior("flf-tc"), own, "own", {})
    np.save(mask, np.arange(40)[None] % 3 + 0 * np.arange(48)[:, None] != 1)
    options = ("reconstruct", scan, *QUICK, "--model", own, *(() if seen else ("--mask", mask)))
    code, _, err = run(*options, "-o", tmp_path / "here.h5")
    assert code == 0, err
    if not seen:  # as on a cluster without a common file system: nothing may be read there
        monkeypatch.setattr(Cluster, "sees", lambda pool, files: False)
    png = ("--png", tmp_path / "a.png")
    code, out, err = run(*options, "--cluster", scheduler, "-o", tmp_path / "there.h5", *png)
    assert code == 0, err
    assert f"Cluster: 2 workers at {scheduler}; dashboard at http://" in err
    assert out.count("PSNR") == 2
    assert (tmp_path / "a.png").exists()
    assert_same(tmp_path / "here.h5", tmp_path / "there.h5")


@pytest.mark.slow
def test_chains_are_jobs_of_a_single_slice(run, scheduler, fastmri_file, tmp_path):
    options = ("reconstruct", fastmri_file(), *QUICK, "--slice", 1, "--chains", 3, "--set", "injected_noise=0.5")
    assert run(*options, "-o", tmp_path / "here.h5")[0] == 0
    store = ("--resume", tmp_path / "kept.npz")
    code, _, err = run(*options, *store, "--cluster", scheduler, "-o", tmp_path / "there.h5")
    assert code == 0, err
    assert_same(tmp_path / "here.h5", tmp_path / "there.h5")
    with np.load(tmp_path / "kept.npz") as kept:
        assert int(kept["count"]) == 3


@pytest.mark.slow
def test_a_slice_that_is_refused_there_is_refused_here(sentence, scheduler, fastmri_file, tmp_path, small_scan):
    kspace = np.stack([small_scan.kspace, 0 * small_scan.kspace])
    words = sentence("reconstruct", fastmri_file(kspace=kspace), "--slice", "all", "--method", "zero-filled",
                     "--cluster", scheduler, "-o", tmp_path / "out.h5")  # fmt: skip
    assert "slice 1: all of kspace is zero" in words
    assert not (tmp_path / "out.h5").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--cluster", "nowhere"), "is none of these"),
        (("--cluster", "local:0"), "is not a number of workers"),
        (("--cluster", "local", "--jobs", "2"), "cannot be combined with --cluster"),
    ],
)
def test_what_names_no_cluster_is_refused(refuse, options, words):
    refuse(("reconstruct", "{scan}", "--method", "zero-filled", *options, "-o", "{out}"), words)
