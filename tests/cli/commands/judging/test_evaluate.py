"""Tables over scans, masks and methods, from the terminal."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib.image import imread

from napari_pogmdm.evaluation import bart


@pytest.mark.slow
def test_evaluate_writes_tables_plots_and_images_and_goes_on_where_it_stopped(run, fastmri_file, tmp_path: Path):
    files = [fastmri_file("a.h5"), fastmri_file("b.h5")]
    report = tmp_path / "report"
    options = ("--masks", "C2/20,R3", "--methods", "zero-filled,pogmdm::fast", "-o", report)
    code, out, err = run("evaluate", *files, *options)
    assert code == 0, err
    assert "| pogmdm::fast |" in out
    assert "±" in out
    with (report / "rows.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 8
    assert {row["mask"] for row in rows} == {"C2/20", "R3"}
    assert imread(report / "boxes.png").std() > 0.01
    assert imread(report / "images-R3.png").std() > 0.05
    journal = report / "rows.jsonl"
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join(lines[:5]) + '\n{"cut sho')
    code, again, _ = run("evaluate", *files, *options)
    assert code == 0
    whole = [line for line in journal.read_text().splitlines() if line and line != '{"cut sho']
    assert len({json.loads(line)["key"] for line in whole}) == 8
    (report / json.loads(whole[0])["image"]).unlink()
    assert run("evaluate", *files, *options)[0] == 0
    assert again.split("| seconds |")[0] == out.split("| seconds |")[0]


@pytest.mark.slow
def test_evaluate_single_coil_protocol(run, fastmri_file, tmp_path: Path):
    code, out, err = run(
        "evaluate", fastmri_file(), "--single-coil", "--masks", "R3", "--methods", "zero-filled,tv,pogmdm::fast",
        "-o", tmp_path / "report",
    )  # fmt: skip
    assert code == 0, err
    psnr = {line.split("|")[1].strip(): float(line.split("|")[2]) for line in out.splitlines()[2:5]}
    assert psnr["tv"] > psnr["zero-filled"]
    assert psnr["pogmdm::fast"] > psnr["zero-filled"]


def test_evaluate_takes_every_kind_of_scan_in_a_folder(run, fastmri_file, tmp_path: Path):
    folder = tmp_path / "scans"
    folder.mkdir()
    fastmri_file("scans/a.h5")
    np.savez(folder / "b.npz", image=np.random.default_rng(0).random((1, 32, 32), dtype=np.float32))
    code, _, err = run("evaluate", folder, "--masks", "C2/20", "--methods", "zero-filled", "-o", tmp_path / "report")
    assert code == 0, err
    with (tmp_path / "report" / "rows.csv").open() as stream:
        assert [Path(row["file"]).name for row in csv.DictReader(stream)] == ["a.h5", "b.npz"]


@pytest.mark.slow
def test_processes_and_threads_do_not_change_a_bit(run, fastmri_file, tmp_path: Path):
    scan, options = fastmri_file(), ("--masks", "C2/20,R3", "--methods", "zero-filled,cg-sense,pogmdm::fast:2")
    images, tables, before = [], [], torch.get_num_threads()
    try:
        for jobs, threads in ((1, 1), (1, 2), (2, 2)):
            torch.set_num_threads(threads)
            folder = tmp_path / f"{jobs}-{threads}"
            code, out, err = run("evaluate", scan, *options, "--jobs", jobs, "-o", folder)
            assert code == 0, err
            tables.append(out.split("| seconds |")[0])
            images.append({path.name: path.read_bytes() for path in (folder / "images").glob("*.npy")})
    finally:
        torch.set_num_threads(before)
    assert len(images[0]) == 6
    assert images[0] == images[1] == images[2]
    assert tables[0] == tables[1] == tables[2]


def test_evaluate_names_what_is_wrong(run, fastmri_file, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    for arguments, words in (
        ((tmp_path / "empty",), "holds no scans"),
        ((fastmri_file(), "--masks", "C4/8,Z1"), "cannot read 'Z1'"),
        ((fastmri_file(), "--methods", "magic"), "unknown 'magic'"),
        ((fastmri_file("t.h5", reconstruction_rss=None, mask=np.arange(40) % 2),), "no full scan"),
    ):
        code, _, err = run("evaluate", *arguments, "-o", tmp_path / "report")
        assert code == 2
        assert words in err.replace("\n", " ")


@pytest.mark.slow
def test_evaluate_judges_coils_beside_espirits(run, fastmri_file, tmp_path: Path):
    options = ("--masks", "C2/30,C2/5", "--methods", "zero-filled,pogmdm::fast:2", "--null-space")
    code, out, err = run("evaluate", fastmri_file(), *options, "-o", tmp_path / "report")
    assert code == 0, err
    lines = {
        line.split("|")[1].strip(): line for line in out.split("null-space residual")[1].splitlines() if "|" in line
    }
    joint, espirit = (float(lines[name].split("|")[2]) for name in ("pogmdm::fast:2", "ESPIRiT"))
    assert 0 < joint < 30
    assert 0 < espirit < 60
    assert lines["ESPIRiT"].split("|")[3].strip() == "none"


def test_peers_are_named_when_they_are_missing(run, fastmri_file, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(bart.shutil, "which", lambda _: None)
    scan = fastmri_file()
    code, _, err = run("evaluate", scan, "--masks", "C2/20", "--methods", "bart-tv", "-o", tmp_path / "r")
    assert code == 2
    assert "the program was not found" in err
    code, out, err = run("evaluate", scan, "--masks", "C2/20", "--methods", "bart-tv,zero-filled", "-o", tmp_path / "r")
    assert code == 0
    assert "the program was not found" in err
    assert "| zero-filled |" in out
