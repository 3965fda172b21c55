"""A runner without a window."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from napari_pogmdm.gui.background.runner import Runner
from napari_pogmdm.gui.background.runner_mail import Update


class Listener:
    """Takes everything a runner posts, as the window does, and remembers it."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.heard: list[Update] = []

    def until(self, condition: Callable[[], object], seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            self.heard.append(self.runner.take())
            assert time.monotonic() < end, f"still {self.heard[-1].status}"
            time.sleep(0.002)

    def until_phase(self, *phases: object) -> Update:
        self.until(lambda: self.heard and self.heard[-1].status.phase in phases)
        return self.heard[-1]

    @property
    def status(self):
        self.heard.append(self.runner.take())
        return self.heard[-1].status

    @property
    def notices(self) -> list[str]:
        return [notice.text for update in self.heard for notice in update.notices]

    @property
    def frames(self):
        return [update.frame for update in self.heard if update.frame is not None]

    @property
    def result(self):
        return next((update.result for update in reversed(self.heard) if update.result is not None), None)


@pytest.fixture
def listener() -> Iterator[Listener]:
    runner = Runner()
    yield Listener(runner)
    runner.close()
    assert not runner.alive
