"""Lessons are plain files; what is wrong with one is said with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.docks.tour.actions import Action
from napari_pogmdm.gui.docks.tour.lesson_file import find_lessons, parse_lesson, read_lesson, shipped_lessons

HERE = Path("mine.md")
GOOD = """# Mine

What it is about.

## First

```setup
open: demo
# a remark
mask: cartesian 4 8
preset: fast
set: injected_noise=0.5
start: paused
```

Some *text*.

```python
print("not a setup")
```

## Second

```setup
step: substep 2
show: image, error
highlight: Sampler.buttons.substep
```

More.

## Third

```setup
set: prior_weight=0.5
mask: gaussian 8 4
start: running
dock: Trace
```
"""


def test_headings_text_and_setup_are_told_apart():
    lesson = parse_lesson(GOOD, HERE)
    assert (lesson.title, lesson.introduction) == ("Mine", "What it is about.")
    assert [step.title for step in lesson.steps] == ["First", "Second", "Third"]
    assert lesson.steps[0].actions[0] == Action("open", "demo", 8)
    assert lesson.steps[0].text == 'Some *text*.\n\n```python\nprint("not a setup")\n```'
    assert [action.verb for action in lesson.steps[1].actions] == ["step", "show", "highlight"]


def test_a_lesson_gives_the_setup_of_a_step_from_the_one_before_and_from_anywhere():
    lesson = parse_lesson(GOOD, HERE)
    assert [action.verb for action in lesson.setup(1, forward=True)] == [
        "grid",
        "figure",
        "algorithm",
        "step",
        "show",
        "highlight",
    ]
    again = [action.verb for action in lesson.setup(1, forward=False)]
    assert again[:6] == ["open", "mask", "preset", "set", "start", "step"]


BAD = {
    "fly: away": "line 4: cannot read 'fly: away'; write one of open, recording",
    "no colon": "line 4: cannot read 'no colon'",
    "mask: round 4 8": "line 4: mask: unknown kind 'round'",
    "mask: cartesian 1 8": "line 4: mask: write kind, acceleration above 1",
    "mask: cartesian four": "line 4: mask: 'four' is not a number",
    "preset: best": "line 4: preset: preset: unknown 'best'",
    "set: colour=red": "line 4: set: cannot read 'colour=red'",
    "set: iterations=-3": "line 4: set: iterations: -3 is not a whole number",
    "show: everything": "line 4: show: unknown 'everything'",
    "dock: Kitchen": "line 4: dock: unknown 'Kitchen'",
    "step: leap": "line 4: step: unknown 'leap'",
    "highlight: __import__('os')": "line 4: highlight: .* is not the name of a widget",
    "highlight: Sampler._private": "line 4: highlight: .* is not the name of a widget",
    "turn: Denoise.sigma": "line 4: turn: write the name of a widget, = and a value",
    "frame: -1": "line 4: frame: '-1' is not a number",
    "open:": "line 4: open: name a file",
}


@pytest.mark.parametrize("line", BAD)
def test_a_bad_line_is_said_with_file_and_line(line):
    with pytest.raises(InputError, match=BAD[line]) as caught:
        parse_lesson(f"# T\n## S\n```setup\n{line}\n```\n", HERE)
    assert str(caught.value).startswith("mine.md: line 4: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "needs a heading"),
        ("# T\nonly words", "needs a heading"),
        ("## S\ntext", "line 1: the lesson needs a first-level heading"),
        ("# T\n# T\n## S", "line 2: a lesson has one first-level heading"),
        ("# T\n```setup\nopen: demo\n```\n## S", "line 2: a setup belongs to a step"),
        ("# T\n## S\nwords\n```setup\nopen: demo\n```", "line 4: a step has one setup"),
        ("# T\n## S\n```setup\nopen: demo\n", "not closed"),
        ("# T\n" + "## S\n" * 61, "has 61 steps"),
    ],
)
def test_a_bad_layout_is_said(text, sentence):
    with pytest.raises(InputError, match=sentence):
        parse_lesson(text, HERE)


def test_unreadable_files_are_named_and_the_others_are_read(tmp_path):
    (tmp_path / "a.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "b.md").write_text(GOOD)
    (tmp_path / "c.md").write_text("x" * 300_000)
    lessons, troubles = find_lessons((tmp_path, tmp_path / "none"))
    assert [lesson.title for lesson in lessons] == ["a.md: cannot be read", "Mine", "c.md: cannot be read"]
    assert [lesson.introduction for lesson in lessons if not lesson.steps] == troubles
    assert [trouble.split(":")[0] for trouble in troubles] == ["a.md", "c.md"]
    with pytest.raises(InputError, match="not a readable text file"):
        read_lesson(tmp_path / "d.md")


def test_the_shipped_lessons_are_eight_and_all_readable():
    lessons, troubles = find_lessons((shipped_lessons(),))
    assert not troubles
    assert len(lessons) == 8
    assert all(3 <= len(lesson.steps) <= 8 and lesson.introduction for lesson in lessons)
    assert all(step.actions and len(step.text) < 900 for lesson in lessons for step in lesson.steps)


def test_the_lesson_that_comes_with_its_network_is_readable():
    folder = Path(__file__).parents[4] / "examples" / "one-mask"
    [lesson], troubles = find_lessons((folder,))
    assert not troubles
    assert lesson.steps[-1].answer
    networks = [action.value for step in lesson.steps for action in step.actions if action.verb == "network"]
    assert [(folder / name).is_file() for name in networks] == [True]


@pytest.mark.parametrize("line", ["mask:", "mask: ", "step:", "show:", "turn: =", "set: =", "press:", "tick: ;"])
def test_a_verb_without_its_value_is_a_sentence(tmp_path, line):
    (tmp_path / "a.md").write_text(f"# T\n## S\n```setup\n{line}\n```\n")
    [lesson], [trouble] = find_lessons((tmp_path,))
    assert not lesson.steps
    assert trouble.startswith("a.md: line 4: ")


def test_a_question_keeps_its_answer_apart():
    lesson = parse_lesson("# T\n## S\nWhy?\n\n```answer\nBecause.\n\nSo.\n```\n\nMore.\n", HERE)
    step = lesson.steps[0]
    assert step.answer == "Because.\n\nSo."
    assert step.text == "Why?\n\n\nMore."
