"""The example with a window opens it, shows the scan, and closes when asked to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parent.parent.parent.parent / "examples" / "open_a_dock.py"


def outside(folder: Path) -> dict[str, str]:
    return {**os.environ, "NAPARI_CONFIG": str(folder / "settings.yaml"), "OMP_NUM_THREADS": "1"}


def test_a_dock_opens_from_a_script(tmp_path):
    command = [sys.executable, str(EXAMPLE), "--close"]
    done = subprocess.run(command, cwd=tmp_path, env=outside(tmp_path), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "zero-filled" in done.stdout


def test_without_a_display_it_says_so(tmp_path):
    environment = {name: value for name, value in outside(tmp_path).items() if "DISPLAY" not in name}
    command = [sys.executable, str(EXAMPLE), "--close"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "There is no display" in done.stderr
