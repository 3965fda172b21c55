"""A person brings their own scan: every kind of file, dropped on the dock or on the canvas."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import ismrmrd
import nibabel
import numpy as np
import pytest
from npe2 import PluginManager
from qtpy.QtCore import QMimeData, QPointF, Qt, QUrl
from qtpy.QtGui import QDropEvent
from qtpy.QtWidgets import QFileDialog

from data.arrays.test_cfl import write_cfl
from data.pictures.test_image_scan import VOLUME, write_dicom
from data.raw.raw_scans import Readout, head, lines_of, oversampled, to_kspace, write_ismrmrd
from data.raw.test_scan import spokes
from data.raw.twix_files import measurement, write_twix
from napari_pogmdm.gui.docks.data.dock import DataDock

FULL = to_kspace(oversampled(head()))
SOME = [0, 3, 6, 9, 10, 11, 12, 13, 14, 15, 18, 21]


def make(kind: str, folder: Path) -> Path:
    """Write a file of a kind."""
    kspace = to_kspace(head()).astype(np.complex64)
    if kind == "ismrmrd":
        return write_ismrmrd(folder / "raw.mrd", lines_of(FULL, SOME))
    if kind == "radial":
        samples, places = spokes()
        readouts = [Readout(samples[:, one], trajectory=places[one]) for one in range(samples.shape[1])]
        return write_ismrmrd(folder / "spokes.h5", readouts, y=64, trajectory="radial")
    if kind in {"vb", "vd"}:
        return write_twix(folder / "meas.dat", [measurement(lines_of(FULL), kind)], kind)
    if kind == "bart":
        return write_cfl(folder / "k.cfl", kspace.transpose(1, 2, 0)[:, :, None])
    if kind == "npy":
        np.save(folder / "k.npy", kspace)
        return folder / "k.npy"
    if kind == "npz":
        np.savez(folder / "k.npz", kspace=kspace)
        return folder / "k.npz"
    if kind == "nifti":
        nibabel.save(nibabel.Nifti1Image(VOLUME.transpose(2, 1, 0), np.eye(4)), folder / "head.nii.gz")
        return folder / "head.nii.gz"
    (folder / "series").mkdir()
    for number in range(3):
        write_dicom(folder / "series" / f"{number}.dcm", VOLUME[number], number)
    return folder / "series"


KINDS = ("ismrmrd", "radial", "vb", "vd", "bart", "npy", "npz", "nifti", "dicom")


@pytest.fixture
def dock(workbench) -> DataDock:
    made = DataDock(workbench.viewer)
    workbench.viewer.window.add_dock_widget(made)
    return made


def drop(dock: DataDock, path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    buttons = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    dock.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, mime, *buttons))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_opened_by_dropping_it(dock, workbench, until, tmp_path: Path, kind: str):
    path = make(kind, tmp_path)
    drop(dock, path)
    until(lambda: workbench.heard or (workbench.session.preview is not None and not workbench.session.loading))
    assert not workbench.heard, workbench.heard[0].text
    assert workbench.book.get("zero-filled") is not None
    assert path.name in dock.card.text()
    assert "Found, done" in dock.card.text()
    until(lambda: str(path.resolve()) in workbench.session.recent)
    assert dock.axes_box.isVisibleTo(dock) == (kind in {"bart", "npy", "npz"})


def test_the_button_offers_and_opens_every_kind(dock, workbench, until, tmp_path: Path, monkeypatch):
    files = []
    for kind in KINDS:
        (tmp_path / kind).mkdir()
        found = make(kind, tmp_path / kind)
        files.append(next(found.iterdir()) if found.is_dir() else found)
    asked: list[str] = []

    def choose(parent, title, folder, filters):
        asked.append(filters)
        return str(files[KINDS.index("vb")]), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    dock.open_button.click()
    until(lambda: workbench.heard or (workbench.session.preview is not None and not workbench.session.loading))
    assert not workbench.heard, workbench.heard[0].text
    assert "meas.dat" in dock.card.text()
    first = asked[0].split(";;")[0]
    offered = first[first.index("(") + 1 : -1].split()
    manifest = PluginManager.instance().get_manifest("napari-pogmdm").contributions.readers[0].filename_patterns
    for file in files:
        assert any(fnmatch(file.name, pattern) for pattern in offered), f"{file.name} cannot be seen in the dialog"
        assert any(fnmatch(file.name, pattern) for pattern in manifest), f"napari hands {file.name} to nobody"


@pytest.mark.parametrize("kind", ["ismrmrd", "vd", "bart", "npz", "nifti", "dicom"])
def test_napari_itself_hands_every_kind_over(dock, workbench, until, tmp_path: Path, kind: str):
    workbench.viewer.open(make(kind, tmp_path), plugin="napari-pogmdm")
    until(lambda: workbench.heard or (workbench.session.preview is not None and not workbench.session.loading))
    assert not workbench.heard, workbench.heard[0].text


def test_contrasts_and_repetitions_have_sliders(dock, workbench, until, tmp_path: Path):
    readouts = []
    for repetition in range(2):
        for contrast in range(3):
            readouts += lines_of((1 + contrast + 10 * repetition) * FULL, contrast=contrast, repetition=repetition)
    drop(dock, write_ismrmrd(tmp_path / "raw.h5", readouts))
    until(lambda: workbench.session.acquisition is not None and not workbench.session.loading)
    sliders = dock.chooser.sliders
    assert sliders["contrast"].isVisibleTo(dock)
    assert sliders["repetition"].isVisibleTo(dock)
    assert not sliders["set"].isVisibleTo(dock)
    assert (sliders["contrast"].maximum(), sliders["repetition"].maximum()) == (2, 1)
    first = np.abs(workbench.session.acquisition.kspace).max()
    sliders["contrast"].setValue(2)
    until(lambda: workbench.session.slice_index == 2 and not workbench.session.loading)
    sliders["repetition"].setValue(1)
    until(lambda: workbench.session.slice_index == 5 and not workbench.session.loading)
    assert np.abs(workbench.session.acquisition.kspace).max() == pytest.approx(13 * first, rel=1e-4)
    assert "contrast 2, repetition 1" in dock.card.text()


def test_axes_are_named_in_the_dock(dock, workbench, until, tmp_path: Path):
    kspace = to_kspace(head()).astype(np.complex64)
    np.save(tmp_path / "odd.npy", kspace.transpose(1, 2, 0))
    drop(dock, tmp_path / "odd.npy")
    until(lambda: workbench.heard)
    assert "name its axes" in workbench.heard[0].text
    assert dock.axes_box.isVisibleTo(dock)
    dock.array_box.axes.setText("rows,columns,coils")
    dock.array_box.read_button.click()
    until(lambda: workbench.session.acquisition is not None and not workbench.session.loading)
    assert workbench.session.acquisition.shape == (32, 24)
    assert workbench.session.acquisition.origin.options == {"axes": "rows,columns,coils"}


def test_a_file_that_cannot_be_used_is_one_sentence_and_keeps_the_scan(dock, workbench, until, tmp_path: Path):
    drop(dock, make("vd", tmp_path))
    until(lambda: workbench.session.measurement is not None and not workbench.session.loading)
    flagged = lines_of(FULL)
    for one in flagged[::2]:
        one.flags = (ismrmrd.ACQ_IS_REVERSE,)
    drop(dock, write_ismrmrd(tmp_path / "epi.h5", flagged))
    until(lambda: workbench.heard)
    assert "echo-planar" in workbench.heard[0].text
    (tmp_path / "P1.7").write_bytes(b"GE" * 100)
    drop(dock, tmp_path / "P1.7")
    until(lambda: len(workbench.heard) == 2)
    assert "ge_to_ismrmrd" in workbench.heard[1].text
    assert dock.message.text() == workbench.heard[1].text, "it stays, whole, in the dock that was asked"
    assert "meas.dat" in dock.card.text()


def test_loading_can_be_cancelled(dock, workbench, until, tmp_path: Path, monkeypatch):
    from napari_pogmdm.gui.background import opening

    seen: list[str] = []

    def slow(source, *, progress, cancelled, **options):
        progress(0.25)
        while not cancelled():
            pass
        seen.append("cancelled")
        raise opening.InputError("nobody waits for this")

    monkeypatch.setattr(opening, "open_scan", slow)
    drop(dock, tmp_path / "large.dat")
    until(lambda: "25 % indexed" in dock.loading_label.text())
    assert dock.chooser.cancel_button.isVisibleTo(dock)
    dock.chooser.cancel_button.click()
    until(lambda: seen)
    assert not dock.loading_label.isVisibleTo(dock)
    assert not workbench.heard
