"""Formulas as they are printed: TeX between dollar signs becomes a picture in the running text."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from qtpy.QtCore import QUrl
from qtpy.QtGui import QColor, QImage, QTextDocument
from qtpy.QtWidgets import QTextBrowser

from napari_pogmdm.gui.widgets.plots import letter_points

_FORMULA = re.compile(r"\$([^$\n]+)\$")
_PLACE = "FORMULA{}PLACE"  # stands for a formula while Qt reads the Markdown, which would take its signs for its own
_SHARP = 2  # dots of a picture for one of the screen, so that it stays sharp on fine screens
_DOTS_PER_INCH, _POINTS_PER_INCH = 96, 72  # of Qt's points
_X_HEIGHT = 0.52  # height of a small letter over the size of its font
_ENLARGED = 1.3  # the letters of formulas, which are small for their points
_KEPT = 256  # formulas; a lesson has some ten


@lru_cache(maxsize=_KEPT)
def formula_picture(tex: str, points: float, colour: str) -> QImage:
    """Typeset a formula.

    Parameters
    ----------
    tex
        As Matplotlib's mathtext reads it, without dollar signs.
    points
        Size of its letters.
    colour
        As ``#rrggbb``.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import MathTextParser

    parsed = MathTextParser("agg").parse(
        f"${tex}$", dpi=_SHARP * _DOTS_PER_INCH, prop=FontProperties(size=_ENLARGED * points, math_fontfamily="stix")
    )
    ink = np.asarray(parsed.image)
    height, depth = ink.shape[0], round(parsed.depth)
    raised = _X_HEIGHT / 4 * points * _SHARP * _DOTS_PER_INCH / _POINTS_PER_INCH
    missing = round(2 * raised - height + 2 * depth)  # Qt puts the middle of a picture a quarter of an x above the line
    padded = np.pad(ink, ((max(missing, 0), max(-missing, 0)), (0, 0)))
    pixels = np.empty((*padded.shape, 4), np.uint8)
    shade = QColor(colour)
    pixels[..., :3] = (shade.blue(), shade.green(), shade.red())
    pixels[..., 3] = padded
    rows, columns = padded.shape
    picture = QImage(pixels.tobytes(), columns, rows, 4 * columns, QImage.Format.Format_ARGB32).copy()
    picture.setDevicePixelRatio(_SHARP)
    return picture


def show_markdown(browser: QTextBrowser, text: str, colour: str, enlarged: float = 1.0) -> None:
    """Show Markdown whose formulas are typeset.

    Parameters
    ----------
    browser
        Where it is shown.
    text
        Markdown, with TeX between single dollar signs.
    colour
        Of formulas, as ``#rrggbb``.
    enlarged
        Times the size of napari's letters.
    """
    formulas = _FORMULA.findall(text)
    for number in range(len(formulas)):
        text = _FORMULA.sub(_PLACE.format(number), text, count=1)
    document = browser.document()
    if document is None:
        return
    points = enlarged * letter_points()
    font = document.defaultFont()
    font.setPointSizeF(points)
    document.setDefaultFont(font)
    browser.setMarkdown(text)
    if not formulas:
        return
    html = browser.toHtml()
    for number, tex in enumerate(formulas):
        picture = f'<img src="formula:{number}" style="vertical-align: middle">'
        html = html.replace(_PLACE.format(number), picture)
        address = QUrl(f"formula:{number}")
        typeset = formula_picture(tex, points, colour)
        document.addResource(QTextDocument.ResourceType.ImageResource.value, address, typeset)
    browser.setHtml(html)
