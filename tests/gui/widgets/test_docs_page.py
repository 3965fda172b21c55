from __future__ import annotations

from qtpy.QtCore import QUrl
from qtpy.QtGui import QImage, QTextDocument
from qtpy.QtWidgets import QWidget

from napari_pogmdm.gui.widgets.docs_page import DocsPage, open_page, page_path


def test_a_page_opens_beside_the_window_and_an_unknown_one_does_not(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    page = open_page("sampling", parent)
    assert page is not None
    assert page.isVisible()
    assert page_path("sampling").read_text().splitlines()[0].lstrip("# ") in page.text.toPlainText()
    page.close()
    assert open_page("elephants", parent) is None


def test_pictures_fit_the_page_and_missing_ones_leave_no_gap(qtbot, tmp_path):
    wide = QImage(3000, 300, QImage.Format.Format_RGB32)
    assert wide.save(str(tmp_path / "wide.png"))
    (tmp_path / "page.md").write_text("![one](wide.png)\n\n![another](gone.png)\n")
    page = DocsPage(tmp_path / "page.md")
    qtbot.addWidget(page)
    page.show()
    picture = QTextDocument.ResourceType.ImageResource.value
    shown = page.text.loadResource(picture, QUrl("wide.png"))
    assert 300 < shown.width() <= page.text.viewport().width()
    assert page.text.loadResource(picture, QUrl("gone.png")).width() == 1
    assert page.text.horizontalScrollBar().maximum() == 0
