from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from qtpy.QtCore import QMimeData, QPointF, Qt, QUrl
from qtpy.QtGui import QDropEvent
from qtpy.QtWidgets import QFileDialog, QSlider

from napari_pogmdm.gui.contributions.writer import write_fastmri
from napari_pogmdm.gui.docks.data.dock import DataDock
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.recon.virtual_coils import AUTO_COILS
from napari_pogmdm.runs.recording_reader import demo_recording


@pytest.fixture
def dock(workbench, qtbot):
    workbench.session.mask_request = MaskRecipe("cartesian", 2.0, 0.3)
    made = DataDock(workbench.viewer)
    workbench.viewer.window.add_dock_widget(made)
    return made


def open_by_dialog(dock: DataDock, qtbot, monkeypatch, path: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    qtbot.mouseClick(dock.open_button, Qt.MouseButton.LeftButton)


def measured(dock: DataDock):
    return lambda: dock.session.measurement is not None and not dock.session.loading


def test_a_file_its_slices_its_card_and_its_layers(dock, workbench, qtbot, until, monkeypatch, fastmri_file):
    path = fastmri_file()
    assert not dock.slice_slider.isEnabled()
    open_by_dialog(dock, qtbot, monkeypatch, path)
    until(measured(dock))
    for fact in ("file1000000.h5, slice 1", "280 x 162.8 mm", "CORPD_FBK", "2.89 T"):
        assert fact in dock.card.text()
    assert dock.slice_slider.value() == 1
    assert [action.toolTip() for action in dock.recent_menu.actions()] == [str(path.resolve())]

    bright = workbench.book.get("zero-filled").data.max()
    qtbot.keyClick(dock.slice_slider.findChild(QSlider), Qt.Key.Key_Left)
    until(lambda: workbench.session.slice_index == 0 and measured(dock)())
    until(lambda: workbench.book.get("zero-filled").data.max() < 0.7 * bright)  # the second slice is twice as bright

    layer = workbench.book.get("zero-filled")
    np.testing.assert_allclose(layer.scale, (280 / 48, 162.8 / 40))
    assert [str(unit) for unit in layer.units] == ["millimeter"] * 2
    assert workbench.viewer.dims.axis_labels == ("y", "x")

    assert not dock.reference_box.isChecked()
    dock.reference_box.click()
    assert workbench.book.get("reference").visible
    workbench.book.get("reference").visible = False
    assert not dock.reference_box.isChecked()
    assert not workbench.heard


def test_raw_data_as_layers_on_request(dock, workbench, until, fastmri_file):
    dock.open_file(str(fastmri_file()))
    until(measured(dock))
    dock.kspace_box.click()
    until(lambda: workbench.book.get("k-space") is not None)
    kspace = workbench.book.get("k-space")
    assert kspace.data.shape == (48, 40)
    assert np.unravel_index(kspace.data.argmax(), kspace.data.shape) == (24, 20)

    dock.coil_images_box.click()
    until(lambda: workbench.book.get("coil images") is not None)
    assert workbench.book.get("coil images").data.shape == (4, 48, 40)
    assert workbench.viewer.dims.axis_labels == ("coil", "y", "x")
    dock.part_box.setCurrentText("phase")
    until(lambda: workbench.book.get("coil images").name == "coil images, phase")
    phases = workbench.book.get("coil images")
    assert phases.contrast_limits == pytest.approx([-np.pi, np.pi])
    before = kspace.data.copy(), phases.data.copy()

    dock.slice_slider.setValue(0)  # another slice: both follow in place
    until(lambda: workbench.session.slice_index == 0 and measured(dock)())
    assert workbench.book.get("coil images") is phases
    np.testing.assert_allclose(kspace.data, before[0], atol=1e-3)  # the same up to a factor

    workbench.viewer.layers.remove(phases)
    assert not dock.coil_images_box.isChecked()
    dock.coil_images_box.click()
    until(lambda: workbench.book.get("coil images") is not None)
    assert not workbench.heard


def test_bundled_scans_coil_compression_and_simulation(dock, workbench, qtbot, until):
    qtbot.mouseClick(dock.phantom_button, Qt.MouseButton.LeftButton)
    until(lambda: workbench.session.scan is not None and measured(dock)())
    assert "phantom" in dock.card.text()
    dock.coils_box.setValue(2)
    until(lambda: workbench.session.measurement is not None and workbench.session.measurement.kspace.shape[0] == 2)
    few = workbench.session.measurement.kept_energy
    assert dock.energy_label.text() == f"{100 * few:.2f} %"
    assert few < 0.999
    dock.all_coils.click()
    until(lambda: workbench.session.measurement is not None and workbench.session.measurement.kspace.shape[0] == 8)
    assert dock.energy_label.text() == "100.00 %"
    assert not dock.coils_box.isEnabled()

    workbench.viewer.add_image(np.random.default_rng(0).random((3, 32, 40)), name="stack")
    form = dock.simulation.form
    form.layer.value = workbench.viewer.layers["stack"]
    form.coils.value = 5
    form.call_button.native.click()
    until(lambda: workbench.session.acquisition.kspace.shape == (5, 32, 40))
    workbench.viewer.add_image(np.zeros((8, 8, 3), np.uint8), rgb=True, name="colours")
    form.layer.value = workbench.viewer.layers["colours"]
    form.call_button.native.click()
    assert [notice.text for notice in workbench.heard] == [
        "colours: is a colour or multiscale image; choose a plain one to simulate a scan from."
    ]


def drop(dock: DataDock, path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    dock.dropEvent(event)


def test_bad_files_are_one_notification_each_and_keep_the_scan(dock, workbench, until, tmp_path, fastmri_file):
    drop(dock, fastmri_file())
    until(measured(dock))
    kept = workbench.session.acquisition

    def whole(name: str) -> bytes:
        return fastmri_file(name).read_bytes()

    text, cut, other, empty = (tmp_path / name for name in ("text.h5", "cut.h5", "other.h5", "empty.h5"))
    text.write_text("no scan")
    cut.write_bytes(whole("cut.h5")[:3000])
    empty.write_bytes(b"")
    with h5py.File(other, "w") as file:
        file["elephants"] = np.zeros(3)
    broken = fastmri_file("nan.h5", kspace=np.full((2, 4, 48, 40), np.nan, np.complex64))
    for number, path in enumerate((text, cut, other, empty, broken, tmp_path / "gone.h5"), start=1):
        drop(dock, path)
        until(lambda number=number: len(workbench.heard) == number and not workbench.session.loading)
        assert path.name in workbench.heard[-1].text
        assert workbench.session.acquisition is kept
        assert workbench.session.measurement is not None

    Path(workbench.session.scan.path).unlink()  # while it is open
    dock.slice_slider.setValue(0)
    until(lambda: len(workbench.heard) == 7)
    assert dock.slice_slider.value() == 1
    assert workbench.session.acquisition is kept
    drop(dock, fastmri_file("next.h5"))
    until(lambda: workbench.session.scan.name == "next.h5")
    assert len(workbench.heard) == 7


def test_results_and_recorded_runs_open_from_the_dock_too(dock, workbench, until, tmp_path):
    path = tmp_path / "result.h5"
    image = np.random.default_rng(0).random((24, 32)).astype(np.float32)
    write_fastmri(str(path), image, {})
    drop(dock, path)
    np.testing.assert_array_equal(workbench.viewer.layers["result.h5: reconstruction"].data, image)
    drop(dock, demo_recording())
    until(lambda: workbench.session.recording is not None)
    assert workbench.session.scan is None
    assert not workbench.heard


def test_recent_files_are_remembered_for_the_next_window(
    dock, workbench, until, make_napari_viewer, fastmri_file, qtbot
):
    from napari_pogmdm.gui.core.workbench import Workbench

    path = fastmri_file()
    dock.open_file(str(path))
    until(measured(dock))
    assert workbench.session.virtual_coils == AUTO_COILS
    assert dock.coils_box.text() == "auto"
    dock.coils_box.setValue(3)
    workbench.loader.load_model("flf")
    until(lambda: workbench.session.prior is not None and workbench.session.prior.name == "flf")

    from napari import settings

    settings._clear_plugin_settings_cache()  # as a new program would begin
    later = Workbench.of(make_napari_viewer())
    try:
        assert later is not workbench
        assert later.session.recent == (str(path.resolve()),)
        assert later.session.virtual_coils == 3
        until(lambda: later.session.prior is not None)
        assert later.session.prior.name == "flf"
        again = DataDock(later.viewer)
        qtbot.addWidget(again)
        again.recent_menu.actions()[0].trigger()
        until(lambda: later.session.scan is not None)
        assert later.session.scan.name == path.name
    finally:
        later.close()
