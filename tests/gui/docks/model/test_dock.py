from __future__ import annotations

from pathlib import Path

import pytest
from napari.utils.notifications import notification_manager
from qtpy.QtCore import Qt
from qtpy.QtWidgets import QFileDialog

from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.docks.model.dock import ModelDock
from napari_pogmdm.prior.configuration import FURTHER_MODELS
from napari_pogmdm.prior.weights import list_models, load_prior, save_prior
from napari_pogmdm.recon.defaults import DEFAULT_MODEL


@pytest.fixture
def dock(workbench, until):
    made = ModelDock(workbench.viewer)
    workbench.viewer.window.add_dock_widget(made)
    until(lambda: workbench.session.prior is not None and workbench.session.device_reason)
    return made


def test_a_model_is_there_without_being_chosen(workbench, until):
    until(lambda: workbench.session.prior is not None)
    assert workbench.session.prior.name == DEFAULT_MODEL


def test_shipped_models_with_their_cards(dock, workbench, until):
    assert dock.model_box.count() == len(list_models())
    count = FURTHER_MODELS[DEFAULT_MODEL].parameter_count
    assert dock.model_box.currentText() == f"{DEFAULT_MODEL} ({count:,} parameters)"
    assert f"{count} learned parameters" in dock.card.toPlainText()
    index = dock.model_box.findData("sh-1")
    dock.model_box.setCurrentIndex(index)
    dock.model_box.activated.emit(index)
    until(lambda: workbench.session.prior.name == "sh-1")
    assert "sh-1" in dock.card.toPlainText().splitlines()[0]
    assert "no CUDA or MPS" in dock.device_label.text() or "fastest" in dock.device_label.text()


def test_own_weights_and_bad_ones(dock, workbench, qtbot, until, monkeypatch, tmp_path: Path):
    own = tmp_path / "mine.safetensors"
    save_prior(load_prior("flf"), own, "mine", {"iterations": 12})
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(own), ""))
    qtbot.mouseClick(dock.file_button, Qt.MouseButton.LeftButton)
    until(lambda: workbench.session.prior.name == "mine")
    assert dock.model_box.currentText().startswith("mine.safetensors")
    assert "iterations: 12" in dock.card.toPlainText()

    own.with_name("bad.safetensors").write_bytes(b"PK\x03\x04 a pickle")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(own.with_name("bad.safetensors")), ""))
    dock.file_button.click()
    until(lambda: workbench.heard)
    assert len(workbench.heard) == 1
    assert "pickled torch file" in workbench.heard[0].text
    assert workbench.session.prior.name == "mine"


def test_a_device_that_is_not_there(dock, workbench, until, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    index = dock.device_box.findData("cuda")
    dock.device_box.setCurrentIndex(index)
    dock.device_box.activated.emit(index)
    until(lambda: workbench.heard)
    assert "cuda is not available" in workbench.heard[0].text
    assert dock.device_box.currentData() == workbench.session.device_request == "auto"


def test_a_device_that_is_too_small_offers_the_cpu(dock, workbench, until):
    workbench.session.device = "cuda"
    assert dock.memory_row.isHidden()
    notification_manager.records.clear()
    workbench.tell(Notice(NoticeKind.MEMORY, "sampler: the memory is full."))
    assert not dock.memory_row.isHidden()
    [(label, use_the_cpu)] = notification_manager.records[-1].actions
    assert label == "Use the CPU"
    dock.cpu_button.click()
    until(lambda: workbench.session.device == "cpu")
    assert dock.memory_row.isHidden()
    assert workbench.session.device_request == "cpu"
    workbench.session.device = "cuda"
    use_the_cpu()
    until(lambda: workbench.session.device == "cpu")
