"""The program as a whole: its commands, its help, its exit codes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command_name

from napari_pogmdm import __version__
from napari_pogmdm.cli.main import COMMANDS


def test_unknown_options_and_missing_ones_exit_with_two(run, misuse):
    assert run("recording", "demo")[0] == 2
    assert "No such option: --frobnicate" in misuse("reconstruct", "demo", "--frobnicate")
    assert run("frobnicate")[0] == 2
    assert run("--version")[0] == 0


def test_the_version_is_printed(succeed):
    assert succeed("--version") == f"napari-pogmdm {__version__}\n"


@pytest.mark.parametrize("command", [get_command_name(command.__name__) for command in COMMANDS])
def test_every_command_has_help(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "Usage" in out
    assert len(out) > 200


def test_the_program_lists_its_commands(succeed):
    text = succeed("--help")
    for command in COMMANDS:
        assert f" {get_command_name(command.__name__)} " in text
    assert " record " not in text


@pytest.mark.parametrize(
    "command",
    [
        "tune {scan} -o {scan} --vary prior_weight=1,2",
        "tune {scan} -o {model} --model {model} --vary prior_weight=1,2",
        "compare {scan} --methods zero-filled --png {scan}",
        "compare demo --methods pogmdm:{model} --png {model}",
        "compare demo --mask {mask} --methods zero-filled --png {mask}",
        "uncertainty {scan} --png {scan}",
        "uncertainty demo --method pogmdm:{model} --png {model}",
        "recording {scan} -o {scan}",
        "recording demo --model {model} -o {model}",
        "reconstruct {scan} -o {scan} --method zero-filled",
        "reconstruct demo -o {mask} --mask {mask} --method zero-filled",
        "reconstruct demo -o {model} --model {model}",
        "reconstruct demo -o {settings} --settings {settings}",
        "reconstruct demo -o out.h5 --png {settings} --settings {settings}",
        "reconstruct demo -o {maps} --coil-maps {maps}",
        "reconstruct demo -o out.h5 --resume {maps} --coil-maps {maps}",
        "denoise {image} --sigma 0.1 -o {image}",
        "denoise {image} --sigma 0.1 -o {model} --model {model}",
        "inspect {model} --png {model}",
        "window {scan} --screenshot {scan}",
        "mask -o {new} --png {new}",
        "reconstruct demo -o {new} --resume {new}",
    ],
)
def test_no_command_writes_over_what_it_reads(sentence, fastmri_file, tmp_path, command):
    scan = fastmri_file()
    files = {"scan": scan, "new": tmp_path / "new.npy"}
    for name in ("model.safetensors", "mask.npy", "settings.json", "maps.npy", "image.npy"):
        files[Path(name).stem] = tmp_path / name
        (tmp_path / name).write_bytes(b"what was there")
    (tmp_path / "settings.json").write_text("{}")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert re.search("which the command reads|names the same file", sentence(*command.format(**files).split()))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "reconstruct demo --method zero-filled -o out.h5",
        "reconstruct demo --method zero-filled -o out.h5 --png out.png",
        "denoise image.npy --sigma 0.1 -o out.npy",
        "denoise image.npy --sigma 0.1 -o out.nii.gz",
        "inspect flf --png out.png",
        "mask -o out.npy",
        "recording phantom --preset fast -o out.pogmdm.h5",
        "evaluate phantom --masks C4 --methods zero-filled -o out",
        "train --data data --out out --iterations 1 --patch 24 --batch 1 --every 1",
    ],
)
def test_a_full_disk_is_one_sentence_and_leaves_nothing_half_written(tmp_path, command):
    """In a program of its own, as HDF5 used to crash at the very end."""
    rng = np.random.default_rng(0)
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "image.npy", rng.random((64, 64), dtype=np.float32))
    np.save(tmp_path / "data" / "volume.npy", rng.random((30, 64, 64), dtype=np.float32))
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    program = (
        "import resource, sys; from napari_pogmdm.cli.main import main; "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)); sys.argv = ['napari-pogmdm', *{command.split()!r}]; "
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    [line] = [line for line in done.stderr.splitlines() if line.startswith("napari-pogmdm: ")]
    assert re.search(r"out.*could not be written \(File too large\); make room", line)
    assert "Traceback" not in done.stderr
    left = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert all(path.suffix == ".jsonl" or path in before for path in left)
