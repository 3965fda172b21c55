"""Ways into the window: dropped files, samples, saving, and the terminal; docks are opened in test_arrangement."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from matplotlib.image import imread

from napari_pogmdm.gui.arrangement import open_workbench
from napari_pogmdm.gui.contributions.writer import write_fastmri

PLUGIN = "napari-pogmdm"


def open_docks(viewer) -> set[str]:
    return {name.split(" (")[0] for name in viewer.window.dock_widgets if name.endswith("(PoGMDM)")}


def drop(workbench, path: Path) -> None:
    """Drop a file on the canvas of an open workbench, as napari's own drop event does."""
    open_workbench(workbench.viewer)
    workbench.viewer.window._qt_viewer._qt_open([str(path)], stack=False)


def test_a_dropped_scan_opens_in_the_session(workbench, until, fastmri_file):
    viewer = workbench.viewer
    drop(workbench, fastmri_file())
    until(lambda: workbench.book.get("zero-filled") is not None)
    assert workbench.session.scan.name == "file1000000.h5"
    assert "Data" in open_docks(viewer)
    assert not workbench.heard


def test_a_dropped_result_becomes_layers_and_can_be_saved_again(workbench, tmp_path):
    image = np.random.default_rng(0).random((24, 32)).astype(np.float32)
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    write_fastmri(str(first), image, {"metadata": {"pogmdm record": {"settings": {}, "method": "tv"}}})
    viewer = workbench.viewer
    drop(workbench, first)
    [layer] = viewer.layers
    assert layer.name == "first.h5: reconstruction"
    assert layer.metadata["pogmdm record"]["method"] == "tv"
    assert layer.save(str(second), plugin=PLUGIN) == [str(second)]
    with h5py.File(second) as file:
        np.testing.assert_array_equal(file["reconstruction"][0], image)
        assert b"tv" in file["record"][()]
    assert layer.save(str(tmp_path / "image.nii.gz"), plugin=PLUGIN)
    assert workbench.session.scan is None


@pytest.mark.parametrize("content", [b"", b"no scan", "elephants"])
def test_a_dropped_file_of_another_kind_is_one_sentence(workbench, until, tmp_path, content):
    path = tmp_path / "other.h5"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with h5py.File(path, "w") as file:
            file[content] = np.zeros(3)
    drop(workbench, path)
    until(lambda: workbench.heard)
    assert len(workbench.heard) == 1
    assert workbench.heard[0].text.startswith("other.h5: ")
    assert not workbench.viewer.layers


@pytest.mark.parametrize(("sample", "coils"), [("demo", 13), ("phantom", 8)])
def test_samples_open_in_the_session(workbench, until, sample, coils):
    [layer] = workbench.viewer.open_sample(PLUGIN, sample)
    until(lambda: workbench.session.acquisition is not None)
    assert workbench.session.acquisition.coils == coils
    np.testing.assert_allclose(layer.data, workbench.session.reference)


@pytest.fixture
def outside(tmp_path: Path) -> dict[str, str]:
    """The environment of another process, with nothing remembered."""
    return {**os.environ, "NAPARI_CONFIG": str(tmp_path / "settings.yaml"), "OMP_NUM_THREADS": "1"}


def terminal(*arguments: str) -> list[str]:
    program = "import sys; from napari_pogmdm.cli.main import main; sys.argv[0] = 'napari-pogmdm'; main()"
    return [sys.executable, "-c", program, *arguments]


def test_the_terminal_runs_to_the_end_and_leaves_a_picture(tmp_path: Path, outside, fastmri_file):
    path = tmp_path / "window.png"
    command = terminal("window", str(fastmri_file()), "--run", "--screenshot", str(path))
    done = subprocess.run(command, env=outside, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, [str(path)]), done.stderr
    picture = imread(path)
    assert picture.shape[:2] == (768, 1366)
    assert picture.std() > 0.1


CLOSING = """
import sys
import napari
from qtpy.QtCore import QTimer
from napari_pogmdm.runs.status import Phase
from napari_pogmdm.gui.core.workbench import Workbench
usual = napari.run
def run():
    viewer = napari.current_viewer()
    bench = Workbench.of(viewer)
    def look():
        if bench.session.status.phase is Phase.RUNNING and bench.session.status.iteration >= 2:
            timer.stop()
            print("closing", flush=True)
            viewer.close()
    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(10)
    usual()
napari.run = run
from napari_pogmdm.cli.main import main
sys.argv = ["napari-pogmdm", "window", "demo", "--run"]
main()
"""


def test_closing_the_window_during_a_run_ends_the_program_well(outside):
    """How long it takes is measured by benchmarks/window.py."""
    done = subprocess.run([sys.executable, "-c", CLOSING], env=outside, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout.split()) == (0, ["closing"]), done.stderr


def test_no_command_opens_the_window_and_no_display_is_one_sentence(outside):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        outside.pop(name, None)
    done = subprocess.run(terminal(), env=outside, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.strip().startswith("napari-pogmdm: window: there is no display;")


def test_without_the_qt_extra_one_sentence_says_how_to_get_it(outside):
    program = terminal()[2].replace("import sys;", "import sys; sys.modules['napari'] = None;")
    done = subprocess.run([sys.executable, "-c", program], env=outside, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "pip install napari-pogmdm[qt]" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_scan_that_is_not_there_ends_the_program(tmp_path: Path, outside):
    command = terminal("window", "nowhere.h5", "--run", "--screenshot", str(tmp_path / "window.png"))
    done = subprocess.run(command, env=outside, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "nowhere.h5" in done.stderr.splitlines()[-1]
    assert not list(tmp_path.glob("*.png"))
