"""The pages of the documentation, inside the window: a dock's "more" link needs no network."""

from __future__ import annotations

from pathlib import Path

from qtpy.QtCore import Qt, QUrl
from qtpy.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

import napari_pogmdm

_SIZE = (760, 620)  # pixels; a line of the widest table fits


def page_path(name: str) -> Path | None:
    """Find a page: in the installed package, or in the repository it was installed from."""
    package = Path(napari_pogmdm.__file__).parent
    folders = (package / "docs", package.parent.parent / "docs")
    return next((folder / f"{name}.md" for folder in folders if (folder / f"{name}.md").is_file()), None)


class DocsPage(QDialog):
    """A page that stays open beside the window; links to other pages are followed in place.

    Parameters
    ----------
    path
        Of a Markdown file.
    parent
        With which it closes.
    """

    def __init__(self, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("PoGMDM: documentation")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        self.text = QTextBrowser()
        self.text.setOpenExternalLinks(True)
        self.text.setSearchPaths([str(path.parent)])
        self.text.setSource(QUrl.fromLocalFile(str(path)))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)


def open_page(name: str, parent: QWidget) -> DocsPage | None:
    """Show a page in a window of its own; ``None`` if this installation does not have it."""
    path = page_path(name)
    if path is None:
        return None
    page = DocsPage(path, parent)
    page.show()
    return page
