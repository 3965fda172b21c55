"""The pages of the documentation, inside the window: a dock's "more" link needs no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qtpy.QtCore import Qt, QUrl
from qtpy.QtGui import QColor, QImage, QPalette, QTextDocument
from qtpy.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

import napari_pogmdm

_SIZE = (760, 620)  # pixels; a line of the widest table fits
_LINK = "#6cb2ff"  # blue that is read on a dark page; Qt's own is not
_DARK = 128  # lightness of 255 below which a page counts as dark
_MARGIN = 24  # pixels that a picture leaves beside it, so that no scroll bar is needed


def page_path(name: str) -> Path | None:
    """Find a page: in the installed package, or in the repository it was installed from."""
    package = Path(napari_pogmdm.__file__).parent
    folders = (package / "docs", package.parent.parent / "docs")
    return next((folder / f"{name}.md" for folder in folders if (folder / f"{name}.md").is_file()), None)


class _Pages(QTextBrowser):
    """Pages whose pictures fit their width; an installed package has the pages without pictures, which leave no gap."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenExternalLinks(True)
        colours = self.palette()
        if colours.color(QPalette.ColorRole.Base).lightness() < _DARK:
            colours.setColor(QPalette.ColorRole.Link, QColor(_LINK))
            self.setPalette(colours)

    def loadResource(self, kind: int, name: QUrl) -> Any:  # noqa: N802  Qt's name
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return super().loadResource(kind, name)
        place = self.source().resolved(name)
        picture = QImage(place.toLocalFile()) if place.isLocalFile() else QImage()
        if picture.isNull():
            return QImage(1, 1, QImage.Format.Format_ARGB32)
        page = self.viewport()
        widest = picture.width() if page is None else page.width() - _MARGIN
        smooth = Qt.TransformationMode.SmoothTransformation
        return picture.scaledToWidth(widest, smooth) if picture.width() > widest else picture


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
        self.text = _Pages()
        self.text.setSearchPaths([str(path.parent)])
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)
        column.activate()  # pictures are fitted to the width that the page will have
        self.text.setSource(QUrl.fromLocalFile(str(path)))


def open_page(name: str, parent: QWidget) -> DocsPage | None:
    """Show a page in a window of its own; ``None`` if this installation does not have it."""
    path = page_path(name)
    if path is None:
        return None
    page = DocsPage(path, parent)
    page.show()
    return page
