from __future__ import annotations

from qtpy.QtCore import Qt

from napari_pogmdm.recon.publication import FigureWidth


def test_one_click_saves_what_is_seen_as_a_figure(small, qtbot, tmp_path, monkeypatch):
    small.canvas.choose("Image", "reference")
    dialog = small.hands.figure
    qtbot.mouseClick(small.frame.bar.figure, Qt.MouseButton.LeftButton)
    dialog.width_box.setCurrentText(FigureWidth.COLUMN)
    chosen = str(tmp_path / "figure")
    monkeypatch.setattr("qtpy.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (chosen, ""))
    dialog.save.click()
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    dialog.save_as(tmp_path / "figure.txt")
    assert "figure.txt" in dialog.words.text()
