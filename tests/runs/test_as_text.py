"""A recorded run as a command and as a script."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from napari_pogmdm.cli.main import main
from napari_pogmdm.recon.method import Method
from napari_pogmdm.recon.methods import reconstruct
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.runs.as_text import command_line, nearest_preset, python_code


def test_the_command_line_repeats_the_run(done, monkeypatch, tmp_path: Path):
    saved = tmp_path / "my run.json"
    saved.write_text(done.record.to_json())
    command = shlex.split(command_line(done.record, saved, str(tmp_path / "again.h5")))
    assert command[0] == "napari-pogmdm"
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    with h5py.File(tmp_path / "again.h5") as file:
        np.testing.assert_array_equal(file["reconstruction"][0], done.image)


@pytest.mark.slow
def test_the_script_repeats_the_run(done, tmp_path: Path):
    saved = tmp_path / "my run.json"
    saved.write_text(done.record.to_json())
    script = python_code(done.record, saved)
    script += f"import numpy\nnumpy.save({str(tmp_path / 'again.npy')!r}, result.image)\n"
    script = f"import torch\ntorch.set_num_threads(1)\n{script}"
    subprocess.run([sys.executable, "-c", script], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "again.npy"), done.image)


def test_names_from_enumerations_are_written_as_plain_words(request_of):
    done = reconstruct(request_of().measurement, Method.TV, steps=1)
    script = python_code(replace(done.record, scan={"scan": "phantom", "index": 0}))
    assert "pg.reconstruct(y, method='tv', steps=1," in script
    compile(script, "script", "exec")


def test_commands_name_presets_and_what_differs(sampled, fastmri_file):
    done = sampled(str(fastmri_file()), index=0)
    command = command_line(done.record)
    assert "--preset default --chains 2 --seed 5 --set iterations=3 --set update_coils=false" in command
    assert "--mask cartesian --acceleration 2" in command
    assert "--exclude-padding --no-noise-floor" in command
    assert nearest_preset(preset("fast")) == ("fast", [])
    assert "iterations=3, update_coils=False" in python_code(done.record)
