"""The lines of Algorithm 1 with their numbers; to a class, the next one alone, large and typeset."""

from __future__ import annotations

from collections.abc import Sequence

from qtpy.QtCore import QSize, Qt
from qtpy.QtGui import QResizeEvent
from qtpy.QtWidgets import QGroupBox, QLabel, QSizePolicy, QTextBrowser, QVBoxLayout

from napari_pogmdm.gui.docks.tour.algorithm_text import AlgorithmLine, algorithm_html
from napari_pogmdm.gui.widgets.formula import show_markdown
from napari_pogmdm.runs.status import RunStatus

_EDGE = 4  # pixels around the lines
_HEADING = 0.9  # of the width, for the heading
_FINER = 0.05  # by which letters are made smaller until they fit
_SMALLEST = 0.5  # of the letters that were asked for; a formula that needs smaller ones is scrolled


class AlgorithmBox(QGroupBox):
    """Shows where a run stands in its algorithm.

    Attributes
    ----------
    lines
        All lines, the next one marked.
    line
        The next one alone.
    """

    def __init__(self) -> None:
        super().__init__("Algorithm 1")
        self.lines = QLabel()
        self.lines.setObjectName("tour_algorithm")
        self.lines.setWordWrap(True)
        self.lines.setTextFormat(Qt.TextFormat.RichText)
        self.line = QTextBrowser()
        self.line.setObjectName("tour_line")
        self.line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)  # takes what there is
        self.line.hide()
        self._shown = (("", "", ""), "", 1.0)
        self._which = ""
        inside = QVBoxLayout(self)
        inside.setContentsMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        inside.addWidget(self.lines)
        inside.addWidget(self.line)

    def wait(self) -> None:
        """Say that there is no run yet."""
        self.lines.setText("Waiting for a run …")

    def show_lines(self, lines: Sequence[AlgorithmLine], status: RunStatus, colour: str) -> None:
        """Show all lines, the next one marked; none is once the run is over."""
        self._count(status)
        self.lines.show()
        self.line.hide()
        done = bool(status.steps) and status.iteration >= status.steps
        self.lines.setText(algorithm_html(list(lines), None if done else status.substep, colour))

    def show_line(self, lines: Sequence[AlgorithmLine], status: RunStatus, ink: str, enlarged: float) -> None:
        """Show the next line alone.

        Parameters
        ----------
        lines
            All of them.
        status
            Tells which is next.
        ink
            Colour of formulas.
        enlarged
            Times the size of napari's letters; smaller where the formula would be cut.
        """
        self._count(status)
        self.lines.hide()
        self.line.show()
        line = lines[status.substep]
        shown = ((f"{status.substep + 1}  {line.name}", line.tex, line.numbers), ink, enlarged)
        if shown != self._shown:
            self._shown = shown
            self._fit()

    def _count(self, status: RunStatus) -> None:
        self._which = f"iteration {min(status.iteration + 1, status.steps)} of {status.steps}"
        self._head()

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802 - Qt's name
        """Fit the line into what there is."""
        super().resizeEvent(event)
        self._head()
        if not self.line.isHidden():
            self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for what the lines need: a long heading becomes shorter instead of widening the dock."""
        inside = self.layout()
        return super().minimumSizeHint() if inside is None else inside.minimumSize()

    def _head(self) -> None:
        """Say which iteration it is, and of what where there is room."""
        whole = f"Algorithm 1, {self._which}"
        self.setTitle(whole if self.fontMetrics().horizontalAdvance(whole) < _HEADING * self.width() else self._which)

    def _fit(self) -> None:
        """Show the line in the largest letters that it can have, its formula in one line or, if longer, in two."""
        (name, tex, numbers), ink, enlarged = self._shown
        share, found = 0.0, ""
        for formula in (f"${tex}$", *_in_two(tex)):
            text = f"**{name}**\n\n{formula}\n\n{numbers}"
            fits = self._share(text, ink, enlarged)
            if fits > share:
                share, found = fits, text
        show_markdown(self.line, found, ink, enlarged * share)

    def _share(self, text: str, ink: str, enlarged: float) -> float:
        """Find how large letters may be, as a share of those asked for; smaller ones break lines elsewhere."""
        share = 1.0
        while share > _SMALLEST:
            show_markdown(self.line, text, ink, enlarged * share)
            document, viewport = self.line.document(), self.line.viewport()
            if document is None or viewport is None:
                break
            wide = document.idealWidth() <= viewport.width()
            if wide and document.size().height() <= viewport.height():
                break
            share -= _FINER
        return max(_SMALLEST, share)


def _in_two(tex: str) -> list[str]:
    """Break a sum before its last term."""
    before, plus, after = tex.rpartition(" + ")
    whole = plus and before.count("{") == before.count("}") and before.count("(") == before.count(")")
    return [f"${before}$\n\n$+ {after}$"] if whole else []
