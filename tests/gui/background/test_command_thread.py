from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from napari_pogmdm.gui.background.command_thread import CommandThread, command


class Counter(CommandThread):
    """Counts while it is told to, and remembers in which thread it did what."""

    def __init__(self) -> None:
        super().__init__("counter")
        self.counted = 0
        self.goal = 0
        self.threads: list[str] = []
        self.failed: list[Exception] = []
        self.reached = threading.Event()
        self._thread.start()

    @command
    def count_to(self, goal: int, *, spoil: bool = False) -> None:
        """Count on."""
        self.threads.append(threading.current_thread().name)
        if spoil:
            raise ValueError(goal)
        self.goal = goal

    @command
    def say_when(self) -> None:
        """Tell that all commands before were obeyed."""
        self.reached.set()

    def _next_turn(self) -> float | None:
        return 0.0 if self.counted < self.goal else None

    def _advance(self) -> None:
        self.counted += 1
        if self.counted == self.goal:
            self.reached.set()

    def _fail(self, error: Exception) -> None:
        self.failed.append(error)


@pytest.fixture
def counter() -> Iterator[Counter]:
    made = Counter()
    yield made
    made.close()
    assert not made.alive


def test_commands_are_obeyed_in_its_own_thread_and_work_goes_on_between_them(counter):
    counter.count_to(3)
    assert counter.reached.wait(10)
    assert counter.counted == 3
    assert counter.threads == ["counter"]
    assert counter.count_to.__doc__ == "Count on."


def test_a_command_that_fails_does_not_end_the_thread(counter):
    counter.count_to(1, spoil=True)
    counter.say_when()
    assert counter.reached.wait(10)
    assert [str(error) for error in counter.failed] == ["1"]
    assert counter.alive
