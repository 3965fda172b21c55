"""Sampling, tuning and evaluating from the terminal."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from matplotlib.image import imread

from napari_pogmdm.errors import InputError
from napari_pogmdm.evaluation import bart, peers
from napari_pogmdm.physics.masks.kinds import make_mask
from napari_pogmdm.recon.measurement import reference_image, undersample
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.metrics import compare
from napari_pogmdm.recon.sampler.presets import preset

QUICK = ("--acceleration", "2", "--acl", "0.2", "--device", "cpu")


def test_a_sampled_result_has_mean_variance_coils_and_a_record_that_repeats_it(run, fastmri_file, tmp_path: Path):
    scan, first, second = fastmri_file(), tmp_path / "first.h5", tmp_path / "second.h5"
    code, out, err = run("reconstruct", scan, "--preset", "fast", "--chains", 2, "--seed", 3, *QUICK, "-o", first)
    assert code == 0, err
    assert "pogmdm PSNR" in out
    with h5py.File(first) as file:
        assert file["variance"].shape == file["mean"].shape == file["reconstruction"].shape == (1, 24, 32)
        assert file["coils"].shape == (1, 4, 48, 40)
        record = json.loads(file["record"][()])
    assert record[0]["sampler"]["model"] == "flf-tc"
    assert record[0]["settings"]["algorithm"] == "splitting"
    (tmp_path / "run.json").write_text(json.dumps(record))
    code, _, err = run("reconstruct", scan, "--settings", tmp_path / "run.json", *QUICK, "-o", second)
    assert code == 0, err
    with h5py.File(first) as one, h5py.File(second) as other:
        np.testing.assert_array_equal(one["reconstruction"][()], other["reconstruction"][()])


def test_bare_settings_are_taken_too(run, fastmri_file, tmp_path: Path):
    settings = tmp_path / "mine.json"
    settings.write_text(replace(preset("fast"), iterations=2).to_json())
    code, _, err = run("reconstruct", fastmri_file(), "--settings", settings, *QUICK, "-o", tmp_path / "out.h5")
    assert code == 0, err
    with h5py.File(tmp_path / "out.h5") as file:
        assert json.loads(file["record"][()])[0]["settings"]["iterations"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--preset", "turbo"), "unknown 'turbo'"),
        (("--model", "absent"), "absent"),
        (("--chains", "0"), "chains"),
        (("--settings", "absent.json"), "not a readable JSON"),
        (("--method", "pogmdm:flf:fast:1:2"), "too many parts"),
        (("--seed", "99999999999999999999999"), "seed"),
        (("--settings", "{folder}/odd.json"), "not laid out like the record"),
        (("--settings", "{folder}/bool.json"), "neither true nor false"),
        (("--settings", "{folder}/deep.json"), "not a readable JSON"),
        (("--settings", "{folder}/fine.json", "--method", "tv"), "are those of pogmdm"),
    ],
)
def test_bad_sampler_options_end_with_one_sentence(run, fastmri_file, tmp_path: Path, arguments, words):
    (tmp_path / "fine.json").write_text('{"iterations": 2}')
    for name, text in (("odd", '{"settings": 5}'), ("bool", '{"renormalise": "no"}'), ("deep", "[" * 100_000)):
        (tmp_path / f"{name}.json").write_text(text)
    arguments = [part.format(folder=tmp_path) for part in arguments]
    code, _, err = run("reconstruct", fastmri_file(), *arguments, *QUICK, "-o", tmp_path / "out.h5")
    assert code == 2
    assert words in err.replace("\n", " ")
    assert not (tmp_path / "out.h5").exists()


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


def test_evaluate_single_coil_protocol(run, fastmri_file, tmp_path: Path):
    code, out, err = run(
        "evaluate", fastmri_file(), "--single-coil", "--masks", "R3", "--methods", "zero-filled,tv,pogmdm::fast",
        "-o", tmp_path / "report",
    )  # fmt: skip
    assert code == 0, err
    psnr = {line.split("|")[1].strip(): float(line.split("|")[2]) for line in out.splitlines()[2:5]}
    assert psnr["tv"] > psnr["zero-filled"]
    assert psnr["pogmdm::fast"] > psnr["zero-filled"]


def test_evaluate_in_several_processes(run, fastmri_file, tmp_path: Path):
    scan, options = fastmri_file(), ("--masks", "C2/20,R3", "--methods", "zero-filled,cg-sense")
    code, together, err = run("evaluate", scan, *options, "--jobs", 2, "-o", tmp_path / "together")
    assert code == 0, err
    code, alone, _ = run("evaluate", scan, *options, "-o", tmp_path / "alone")
    assert code == 0
    assert together.split("| seconds |")[0] == alone.split("| seconds |")[0]


def test_evaluate_names_what_is_wrong(run, fastmri_file, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    for arguments, words in (
        ((tmp_path / "empty",), "found no scans"),
        ((fastmri_file(), "--masks", "C4/8,Z1"), "cannot read 'Z1'"),
        ((fastmri_file(), "--methods", "magic"), "unknown 'magic'"),
        ((fastmri_file("t.h5", reconstruction_rss=None, mask=np.arange(40) % 2),), "no full scan"),
    ):
        code, _, err = run("evaluate", *arguments, "-o", tmp_path / "report")
        assert code == 2
        assert words in err.replace("\n", " ")


def test_tune_keeps_the_best_and_writes_settings_that_reconstruct_takes(run, fastmri_file, tmp_path: Path):
    scan, found = fastmri_file(), tmp_path / "found.json"
    code, out, err = run(
        "tune", scan, "--masks", "C2/20", "--preset", "fast", "--vary", "iterations=2,4", "--vary",
        "prior_weight=0.01,0.5", "-o", found,
    )  # fmt: skip
    assert code == 0, err
    means = [float(line.split("mean ")[1].split(" dB")[0]) for line in out.splitlines() if "mean" in line]
    assert len(means) == 4
    written = json.loads(found.read_text())
    assert written["settings"]["iterations"] == (2 if means[0] > means[1] else 4)
    assert written["tuning"]["command"].startswith("napari-pogmdm tune")
    assert list(written["tuning"]["scans_sha256"]) == ["file1000000.h5"]
    assert len(written["tuning"]["trials"]) == 4
    assert run("reconstruct", scan, "--settings", found, *QUICK, "-o", tmp_path / "out.h5")[0] == 0
    for arguments, words in (
        (("demo", "--vary", "iterations=2"), "never chosen on the bundled scan"),
        ((scan, "--vary", "iterations"), "cannot read 'iterations'"),
        ((scan, "--vary", "algorithm=1"), "not a numeric setting"),
        ((scan, "--vary", "iterations=2..8"), "whole numbers"),
        ((scan, "--vary", "prior_weight=3..1"), "not an interval"),
    ):
        code, _, err = run("tune", *arguments, "--masks", "C2/20", "-o", found)
        assert code == 2
        assert words in err.replace("\n", " ")


def test_tune_searches_an_interval_and_its_file_names_a_method(run, fastmri_file, tmp_path: Path):
    scan, found = fastmri_file(), tmp_path / "found.json"
    options = ("--masks", "C2/20", "--preset", "fast", "--vary", "iterations=2", "--vary", "prior_weight=0.05..2")
    code, out, err = run("tune", scan, *options, "--evaluations", 4, "-o", found)
    assert code == 0, err
    tried = {line.split(": mean ")[0]: float(line.split("mean ")[1].split(" dB")[0]) for line in out.splitlines()[2:6]}
    best = json.loads(found.read_text())["settings"]["prior_weight"]
    assert max(tried, key=lambda name: tried[name]) == f"prior_weight={best:g}"
    code, out, err = run("evaluate", scan, "--masks", "C2/20", "--methods", f"pogmdm::{found}", "-o", tmp_path / "r")
    assert code == 0, err
    assert f"{max(tried.values()):.2f}" in out
    code, _, err = run("evaluate", scan, "--methods", "pogmdm::absent.json", "-o", tmp_path / "r")
    assert code == 2
    assert "absent.json" in err


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


FAKE_BART = """#!{python}
import sys
from pathlib import Path
import numpy as np

command, *rest = sys.argv[1:]
if command == "ecalib":
    sys.exit("\\x1b[31mno calibration today\\x1b[0m")
sizes = [int(size) for size in Path("kspace.hdr").read_text().splitlines()[1].split()]
kspace = np.fromfile("kspace.cfl", np.complex64).reshape(sizes[3], sizes[1], sizes[0])
images = np.fft.fftshift(np.fft.ifft2(np.fft.ifftshift(kspace, axes=(1, 2)), norm="ortho"), axes=(1, 2))
image = np.sqrt((np.abs(images) ** 2).sum(axis=0)).astype(np.complex64)
Path("image.hdr").write_text("# Dimensions\\n" + " ".join(map(str, [sizes[0], sizes[1]] + [1] * 14)) + "\\n")
image.tofile("image.cfl")
"""


def test_bart_is_called_as_a_program_through_files(small_scan, tmp_path: Path, monkeypatch):
    """A stand-in on the path answers with the zero-filled image, if it finds the data where BART would."""
    program = tmp_path / "bart"
    program.write_text(FAKE_BART.replace("{python}", sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.25))
    reference = reference_image(small_scan)
    assert reference is not None
    answered = peers.run_peer("bart-nlinv", measurement, reference).metrics.psnr
    assert answered == pytest.approx(compare(reference, reconstruct(measurement, "zero-filled").image).psnr, abs=1.5)
    with pytest.raises(InputError, match=r"bart ecalib: failed \(no calibration today\)"):
        peers.run_peer("bart-tv", measurement, reference)


def test_peers_are_walked_to_their_best_weight(small_scan):
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.25))
    reference = reference_image(small_scan)
    assert reference is not None
    tried = []

    def method(weight: float) -> np.ndarray:
        tried.append(weight)
        return reference * 7 + abs(np.log2(weight / 0.016)) * 0.1 * reference.max() * np.sin(
            np.arange(reference.size)
        ).reshape(reference.shape)

    best = peers._walk(method, measurement, reference)
    assert best.setting == pytest.approx(0.016)
    assert len(tried) <= 6
    assert best.metrics.psnr > 60


def test_sigpy_peer_runs(small_scan):
    measurement = undersample(small_scan, make_mask("cartesian", small_scan.shape, 2, 0.25))
    reference = reference_image(small_scan)
    assert reference is not None
    result = peers.run_peer("sigpy-l1wavelet", measurement, reference)
    assert result.metrics.psnr > 15
