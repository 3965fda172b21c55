"""The Tour dock: short lessons that drive the real window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from napari.settings import get_settings
from napari.utils.theme import get_theme
from qtpy.QtCore import Qt
from qtpy.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QTextBrowser,
    QVBoxLayout,
)
from superqt.utils import signals_blocked

from napari_pogmdm.gui.arrangement import open_for_lessons
from napari_pogmdm.gui.background.notices import Notice, NoticeKind
from napari_pogmdm.gui.docks.base import Dock
from napari_pogmdm.gui.docks.combo import Combo
from napari_pogmdm.gui.docks.tour.algorithm_box import AlgorithmBox
from napari_pogmdm.gui.docks.tour.algorithm_text import algorithm_lines
from napari_pogmdm.gui.docks.tour.guide import TourGuide
from napari_pogmdm.gui.docks.tour.lesson_file import Lesson, find_lessons, own_lessons, shipped_lessons
from napari_pogmdm.gui.docks.tour.numbers import lesson_numbers
from napari_pogmdm.gui.layers.view import LESSON
from napari_pogmdm.gui.presenter import Presenter
from napari_pogmdm.gui.room import room_of
from napari_pogmdm.gui.widgets.buttons import button
from napari_pogmdm.gui.widgets.formula import show_markdown
from napari_pogmdm.gui.widgets.plots import letter_points, seen
from napari_pogmdm.runs.roles import Role
from napari_pogmdm.runs.status import Phase

if TYPE_CHECKING:
    from napari.viewer import Viewer

_LOWEST_TEXT = 120  # pixels: five lines
_STRIP_OF_TEXT, _STRIP_OF_NUMBERS, _STRIP_OF_FORMULA = (3, 9, 0), (3, 6, 3), (3, 5, 5)  # buttons, text, the rest
_PRESENTED = 15.0  # points of letters in presenter mode, unless those of the window are larger


class TourDock(Dock):
    """Reads lessons from the package and from the teacher's own folder, and goes through them step by step."""

    heading = "Tour"
    explanation = "<b>What is this?</b> The orange frame marks what the lesson is about."
    page = "teaching"

    def __init__(self, napari_viewer: Viewer) -> None:
        super().__init__(napari_viewer)
        self.guide = TourGuide(self.workbench, self)
        self.lessons, troubles = find_lessons((shipped_lessons(), own_lessons()))
        self.index = -1
        self._presenting = self._followed = False
        self._make_widgets()
        self._lay_out()
        for sentence in troubles:
            self.workbench.tell(Notice(NoticeKind.ERROR, sentence))
        self.guide.settled.connect(self._refresh)
        events = self.session.events
        for event in (events.status, events.trace, events.preview, events.recording_frame):
            self.listen(event, self._refresh)
        self.at_end(self.guide.belongings.forget)
        self.listen(get_settings().appearance.events.font_size, self._letters_changed)
        self.listen(self.workbench.viewer.events.theme, self._letters_changed)  # formulas are pictures in its colours
        self._choose(0)

    def came_to_front(self) -> None:
        """Follow the presenter of the window, which comes after its docks, and take the room of an introduction."""
        presenter = Presenter.of(self.workbench.viewer)
        if presenter is not None and not self._followed:
            self._followed = True
            presenter.changed.connect(self.present)
        room = room_of(self.workbench.viewer.window._qt_window)
        if room is not None and self._shell is not None and not self._presenting and self.index < 0:
            room.make_introduction_readable(self._shell)

    @property
    def lesson(self) -> Lesson | None:
        """The chosen lesson."""
        chosen = self.choice.currentIndex()
        return self.lessons[chosen] if 0 <= chosen < len(self.lessons) else None

    def go_to(self, index: int, *, again: bool = False) -> None:
        """Go to a step; -1 is the introduction. Going back, or ``again``, sets everything up from scratch."""
        lesson = self.lesson
        if lesson is None or not -1 <= index < len(lesson.steps):
            return
        forward = index == self.index + 1 and not again
        self.index = index
        with signals_blocked(self.answer_button):
            self.answer_button.setChecked(False)
        self._show_text(lesson)
        if index < 0:
            self.guide.stop()
            self._refresh()
            return
        if index == 0 and forward:
            self._begin_afresh()
        actions = lesson.setup(index, forward=forward)
        self.busy.setVisible(True)
        shows_algorithm = any((action.verb, action.value) == ("algorithm", "on") for action in actions)
        open_for_lessons(self.workbench.viewer, tall=shows_algorithm)
        self.guide.carry_out(actions, lesson.path.parent, lesson.steps[index].title)

    def leave(self) -> None:
        """End the lesson and give everything back that it borrowed."""
        self._choose(self.choice.currentIndex())

    def present(self, on: bool) -> None:
        """Become a wide strip with large letters, or a narrow dock again."""
        if on != self._presenting:
            self.guide.figures.present(on)
        self._presenting = on
        self.workbench.frame.bar.setHidden(on)
        directions = QBoxLayout.Direction
        self._body.setDirection(directions.LeftToRight if on else directions.TopToBottom)
        self.text.setMinimumHeight(0 if on else _LOWEST_TEXT)
        if self.lesson is not None:
            self._show_text(self.lesson)
        self._refresh()

    def _share_out(self) -> None:
        """Give the text what nothing else needs; in a strip, a formula needs more than numbers."""
        self.lead.setHidden(self._presenting or self.index >= 0)
        numbers, formula = not self.numbers.isHidden() or not self.answer_button.isHidden(), self.algorithm_box
        shares = _STRIP_OF_FORMULA if not formula.isHidden() else _STRIP_OF_NUMBERS if numbers else _STRIP_OF_TEXT
        for place, share in enumerate(shares if self._presenting else (0, 1, 0)):
            self._body.setStretch(place, share)

    def _begin_afresh(self) -> None:
        """Begin a lesson without a run and without side-by-side views that others have left."""
        self.guide.belongings.borrow()
        self.guide.figures.forget()
        self.workbench.canvas.back(LESSON)
        self.session.clear_run()  # before the run is forgotten, which would keep its curves
        self.session.ghosts = ()
        if self.session.status.phase is not Phase.IDLE:
            self.workbench.reset()

    def _make_widgets(self) -> None:
        self.choice = Combo()
        self.choice.setObjectName("tour_lesson")
        self.choice.setAccessibleName("Lesson")
        self.choice.setToolTip(f"Lessons of the package, and your own from {own_lessons()}")
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for number, lesson in enumerate(self.lessons, 1):
            self.choice.addItem(f"{number}  {lesson.title}")
        self.choice.currentIndexChanged.connect(self._choose)
        self.place = QLabel()
        self.text = QTextBrowser()
        self.text.setObjectName("tour_text")
        self.text.setOpenExternalLinks(True)
        self.text.setMinimumHeight(_LOWEST_TEXT)
        self.text.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.answer_button = button("Show the &answer", "Show the answer to this step's question", "tour_answer")
        self.answer_button.setCheckable(True)
        self.answer_button.toggled.connect(self._answer)
        self.busy = QLabel("Setting up …")
        self.busy.setVisible(False)
        self.numbers = QLabel()
        self.numbers.setObjectName("tour_numbers")
        self.numbers.setWordWrap(True)
        self.numbers.setTextFormat(Qt.TextFormat.RichText)
        self.algorithm_box = AlgorithmBox()

    def _make_buttons(self) -> QGridLayout:
        self.back_button = button("&Back", "Previous step, set up as it was", "tour_back")
        self.again_button = button("Set up &again", "Set this step up again, whatever you changed", "tour_again")
        self.next_button = button("&Next", "The next step", "tour_next")
        self.leave_button = button("&End", "End the lesson; scan, mask, model and settings are restored", "tour_leave")
        self.leave_button.clicked.connect(self.leave)
        self.back_button.clicked.connect(lambda: self.go_to(self.index - 1))
        self.again_button.clicked.connect(lambda: self.go_to(self.index, again=True))
        self.next_button.clicked.connect(self._next)
        row = QGridLayout()  # two rows, so that large letters fit, too
        for place, made in enumerate((self.back_button, self.next_button, self.again_button, self.leave_button)):
            row.addWidget(made, place // 2, place % 2)
        return row

    def _lay_out(self) -> None:
        where = QHBoxLayout()
        where.addWidget(self.place)
        where.addStretch()
        where.addWidget(self.busy)
        head, side = QVBoxLayout(), QVBoxLayout()
        head.addWidget(self.choice)
        head.addLayout(self._make_buttons())
        head.addLayout(where)
        for widget in (self.answer_button, self.numbers, self.algorithm_box):
            side.addWidget(widget)
        self._body = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._body.addLayout(head)
        self._body.addWidget(self.text, 1)
        self._body.addLayout(side)
        self.column.addLayout(self._body, 1)

    def _next(self) -> None:
        lesson = self.lesson
        if lesson is None:
            return
        if self.index + 1 < len(lesson.steps):
            self.go_to(self.index + 1)
        elif self.choice.currentIndex() + 1 < self.choice.count():
            self.choice.setCurrentIndex(self.choice.currentIndex() + 1)

    def _choose(self, number: int) -> None:
        self.guide.stop()
        presenter = Presenter.of(self.workbench.viewer)
        if presenter is not None:
            presenter.tidy()  # no dock of the lesson before
        self.index = -1
        with signals_blocked(self.choice):
            self.choice.setCurrentIndex(number)
        if self.lesson is not None:
            self._show_text(self.lesson)
        else:
            self.text.setMarkdown("There are no lessons to read.")
        self._refresh()

    def _show_text(self, lesson: Lesson) -> None:
        steps = len(lesson.steps)
        if self.index < 0:
            self.place.setText(f"{steps} steps" if steps else "This lesson has an error")
            self._write(f"## {lesson.title}\n\n{lesson.introduction}")
        else:
            step = lesson.steps[self.index]
            self.place.setText(f"Step {self.index + 1} of {steps}")
            answered = f"\n\n---\n\n**Answer.** {step.answer}" if self.answer_button.isChecked() else ""
            self._write(f"### {step.title}\n\n{step.text}{answered}")
        asks = self.index >= 0 and bool(lesson.steps[self.index].answer)
        self.answer_button.setVisible(asks)
        self.leave_button.setEnabled(self.index >= 0)
        self.back_button.setEnabled(self.index >= 0)
        self.again_button.setEnabled(self.index >= 0)
        last = self.index + 1 == steps
        self.next_button.setText("&Next lesson" if last else "&Start" if self.index < 0 else "&Next")
        self.next_button.setEnabled(not last or self.choice.currentIndex() + 1 < self.choice.count())

    @property
    def _about_sampling(self) -> bool:
        """Whether the zero-filled image is seen, or nothing that a lesson has chosen."""
        canvas = self.workbench.canvas
        figure = self.guide.figures.figure
        alone = figure is not None and figure.alone
        return not alone and canvas.shown == LESSON and Role.ZERO_FILLED in canvas.view.chosen

    def _write(self, text: str) -> None:
        show_markdown(self.text, text, get_theme(self.workbench.viewer.theme).text.as_hex(), self._enlarged)

    @property
    def _enlarged(self) -> float:
        """Times the letters of the window that the text has."""
        return max(1.0, _PRESENTED / letter_points()) if self._presenting else 1.0

    def _letters_changed(self) -> None:
        self.present(self._presenting)

    def _answer(self) -> None:
        if self.lesson is not None:
            self._show_text(self.lesson)

    def _refresh(self) -> None:
        self.busy.setVisible(self.guide.busy)
        self.algorithm_box.setVisible(self.guide.shows_algorithm and self.index >= 0)
        if not seen(self) and self.isVisible():
            return
        session = self.session
        self.numbers.setText(" · ".join(lesson_numbers(session, self._about_sampling)) if self.index >= 0 else "")
        self._show_algorithm()
        self._share_out()

    def _show_algorithm(self) -> None:
        """Show where the run stands; to a class, only the line that comes next."""
        session, status, box = self.session, self.session.status, self.algorithm_box
        alone = (
            self._presenting and self.guide.shows_algorithm and bool(status.plan) and status.iteration < status.steps
        )
        self.numbers.setHidden(alone or not self.numbers.text())
        if not (self.guide.shows_algorithm and status.plan):
            box.wait()
            return
        lines = algorithm_lines(session.settings, status, session.trace[-1] if session.trace else None)
        theme = get_theme(self.workbench.viewer.theme)
        if alone:
            box.show_line(lines, status, theme.text.as_hex(), self._enlarged)
        else:
            box.show_lines(lines, status, theme.highlight.as_hex())
