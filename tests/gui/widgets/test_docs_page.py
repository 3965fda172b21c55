from __future__ import annotations

from qtpy.QtWidgets import QWidget

from napari_pogmdm.gui.widgets.docs_page import open_page, page_path


def test_a_page_opens_beside_the_window_and_an_unknown_one_does_not(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    page = open_page("sampling", parent)
    assert page is not None
    assert page.isVisible()
    assert page_path("sampling").read_text().splitlines()[0].lstrip("# ") in page.text.toPlainText()
    page.close()
    assert open_page("elephants", parent) is None
