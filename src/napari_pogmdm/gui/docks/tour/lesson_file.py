"""Lessons as plain Markdown files.

A lesson is a first-level heading with an introduction, then second-level headings, one a step. A step may begin with a
fenced block named ``setup``: lines ``verb: value`` from a fixed list, which set up the window for what the step says.
It may have a fenced block named ``answer``, which is shown when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.tour.actions import VERBS, Action, from_scratch, onwards
from napari_pogmdm.reading import reading

_LARGEST_FILE = 200_000  # bytes; a lesson is a page or two
_MOST_STEPS = 60  # more than anybody follows
_FENCE = re.compile(r"^```+\s*(\S*)\s*$")


@dataclass(frozen=True)
class Step:
    """A page of a lesson: its heading, its text in Markdown, its setup, and the answer to the question that it asks."""

    title: str
    text: str
    actions: tuple[Action, ...] = ()
    answer: str = ""


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Attributes
    ----------
    path
        The file it came from.
    title, introduction
        Its first-level heading, and the Markdown below that.
    steps
        Its second-level headings with what stands below them.
    """

    path: Path
    title: str
    introduction: str
    steps: tuple[Step, ...]

    def setup(self, index: int, *, forward: bool) -> tuple[Action, ...]:
        """Give what has to be done to be at a step: coming from the one before, or from anywhere."""
        if forward:
            return onwards(self.steps[index].actions)
        return from_scratch([step.actions for step in self.steps[: index + 1]])


def read_lesson(path: Path) -> Lesson:
    """Read a lesson; whatever is wrong with it becomes one sentence with the file and the line."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise InputError(f"{path.name}: is too long for a lesson; split it.")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name}: is not a readable text file; lessons are Markdown in UTF-8.") from error
    return parse_lesson(text, path)


def parse_lesson(text: str, path: Path) -> Lesson:
    """Read a lesson from its text."""
    title = ""
    introduction: list[str] = []
    steps: list[Step] = []
    body: list[str] = []
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if fence == "setup" and mark is None:
            steps[-1] = _with_action(steps[-1], line, number, path)
        elif fence == "answer" and mark is None and steps:
            steps[-1] = replace(steps[-1], answer=f"{steps[-1].answer}{line}\n")
        elif mark is not None:
            opening = not fence
            if mark.group(1) == "setup" and opening:
                _check_place(steps, body, number, path)
            elif "answer" not in {fence, mark.group(1)} and fence != "setup":
                body.append(line)
            fence = (mark.group(1) or "plain") if opening else ""
        elif not fence and line.startswith("# "):
            if title:
                raise _trouble(path, number, "a lesson has one first-level heading; begin steps with ##")
            title = line[2:].strip()
        elif not fence and line.startswith("## "):
            if not title:
                raise _trouble(path, number, "the lesson needs a first-level heading before its first step")
            introduction, steps = _close(introduction, steps, body)
            body = []
            steps.append(Step(line[3:].strip(), ""))
        else:
            body.append(line)
    introduction, steps = _close(introduction, steps, body)
    if fence:
        raise InputError(f"{path.name}: a fenced block is not closed; end it with a line of three backticks.")
    if not title or not steps:
        raise InputError(f"{path.name}: a lesson needs a heading (#) and at least one step (##).")
    if len(steps) > _MOST_STEPS:
        raise InputError(f"{path.name}: has {len(steps)} steps; {_MOST_STEPS} are the most, so make it two lessons.")
    return Lesson(path, title, "\n".join(introduction).strip(), tuple(steps))


def find_lessons(folders: Iterable[Path]) -> tuple[list[Lesson], list[str]]:
    """Read all lessons of some folders in the order of their names, and say what is wrong with which.

    One that cannot be read stands among the others, without steps and with the sentence about it as introduction.
    """
    lessons, troubles = [], []
    for folder in folders:
        for path in sorted(folder.glob("*.md")) if folder.is_dir() else ():
            try:
                with reading(path, "lesson", "correct it"):
                    lessons.append(read_lesson(path))
            except InputError as error:
                troubles.append(str(error))
                lessons.append(Lesson(path, f"{path.name}: cannot be read", str(error), ()))
    return lessons, troubles


def shipped_lessons() -> Path:
    """Folder of the lessons that come with the package."""
    return Path(__file__).parent / "lessons"


def own_lessons() -> Path:
    """Folder where a teacher's own lessons are looked for."""
    from platformdirs import user_data_path

    return user_data_path("napari-pogmdm") / "lessons"


def _with_action(step: Step, line: str, number: int, path: Path) -> Step:
    verb, colon, value = (part.strip() for part in line.partition(":"))
    if not line.strip() or line.lstrip().startswith("#"):
        return step
    if not colon or verb not in VERBS:
        known = ", ".join(VERBS)
        raise _trouble(path, number, f"cannot read {line.strip()[:40]!r}; write one of {known}, a colon and a value")
    try:
        VERBS[verb].check(value)
    except InputError as error:
        raise _trouble(path, number, f"{verb}: {str(error).rstrip('.')}") from error
    except Exception as error:
        raise _trouble(path, number, f"cannot read the value {value[:40]!r} of {verb}") from error
    return replace(step, actions=(*step.actions, Action(verb, value, number)))


def _check_place(steps: list[Step], body: list[str], number: int, path: Path) -> None:
    if not steps:
        raise _trouble(path, number, "a setup belongs to a step; put it below a ## heading")
    if "".join(body).strip() or steps[-1].actions:
        raise _trouble(path, number, "a step has one setup, right below its heading")


def _close(introduction: list[str], steps: list[Step], body: list[str]) -> tuple[list[str], list[Step]]:
    if not steps:
        return [*introduction, *body], steps
    closed = replace(steps[-1], text="\n".join(body).strip(), answer=steps[-1].answer.strip())
    return introduction, [*steps[:-1], closed]


def _trouble(path: Path, line: int, what: str) -> InputError:
    return InputError(f"{path.name}: line {line}: {what}.")
