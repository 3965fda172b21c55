"""The paper's tables: what is printed is copied right, and what is measured stands in its place."""

from __future__ import annotations

import numpy as np
import pytest

from napari_pogmdm.cli.validation_cases import validation_cases
from napari_pogmdm.evaluation.ablation import MASKS, SIGMAS, TABLES, as_markdown, denoising_row, measure_tables
from napari_pogmdm.prior.weights import load_prior
from napari_pogmdm.recon.sampler.presets import preset


def test_tables_are_whole() -> None:
    for table in TABLES.values():
        assert table.columns in (MASKS, SIGMAS)
        assert all(len(numbers) == len(table.columns) for numbers in table.rows.values())
    assert TABLES["sharing"].rows["sh-2"] == TABLES["scales"].rows["sh-2"]


def test_denoising_is_measured_and_written_beside_the_printed_number() -> None:
    image = np.kron(np.random.default_rng(0).random((6, 6)), np.ones((8, 8))).astype(np.float32)
    loaded: list[str] = []

    def load(name: str):
        loaded.append(name)
        return [load_prior(name)] if name == "flf-tc" else []

    measured = measure_tables(["denoising"], load, {}, [image], preset("fast"), lambda text: None)
    assert loaded == ["sh-1", "sh-2", "flf", "flf-tc"]
    assert measured["denoising"]["sh-1"] == []
    (row,) = measured["denoising"]["flf-tc"]
    assert row == denoising_row(load_prior("flf-tc"), [image])
    assert row == sorted(row, reverse=True)
    assert row[0] > 32.5  # more than the noise leaves
    text = as_markdown(measured)
    assert f"| flf-tc | {row[0]:.2f} (36.97) |" in text
    assert "| sh-1 | - (35.82) |" in text


def test_reconstructions_are_measured_once_a_model() -> None:
    cases = {"C4/8": validation_cases(["phantom"], ["C4/8"], 4, "cpu")}
    calls: list[str] = []

    def load(name: str):
        calls.append(name)
        return [load_prior("flf")] if name == "sh-2" else []

    settings = preset("fast").from_dict(preset("fast").to_dict() | {"iterations": 2, "choose": "none", "map_sets": 1})
    measured = measure_tables(["scales", "sharing"], load, cases, [], settings, lambda text: None)
    assert calls.count("sh-2") == 1
    assert measured["scales"]["sh-2"] == measured["sharing"]["sh-2"]
    ((first, *others),) = measured["scales"]["sh-2"]
    assert first == pytest.approx(25, abs=12)
    assert others == [None] * 4


def test_of_several_trainings_stands_the_mean_and_the_farthest() -> None:
    rows = [[30.0, 20.0, None, 10.0], [31.0, 20.0, None, None], [30.2, 20.0, None, None]]
    assert "| flf-tc | 30.40 ± 0.60 (36.97) | 20.00 ± 0.00 (33.96) | - (31.24) | 10.00 (28.21) |" in as_markdown(
        {"denoising": {"flf-tc": rows}}
    )
