"""A thread that obeys commands, one after the other, and goes on with its work between them; no Qt in here."""

from __future__ import annotations

import queue
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial, wraps
from typing import Concatenate, ParamSpec, TypeVar

_SWITCH_SECONDS = 0.001  # that the window may keep a thread waiting for Python's lock; usually five times as long
_Owner = TypeVar("_Owner", bound="CommandThread")
_Arguments = ParamSpec("_Arguments")


def command(
    method: Callable[Concatenate[_Owner, _Arguments], None],
) -> Callable[Concatenate[_Owner, _Arguments], None]:
    """Have a method carried out in the thread of its object, between two pieces of work, whoever calls it."""

    @wraps(method)
    def put(owner: _Owner, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> None:
        owner._commands.put(partial(method, owner, *arguments, **named))

    return put


class CommandThread(ABC):
    """Carries out methods marked with `command`; subclasses say what is done between them.

    Parameters
    ----------
    name
        Of the thread.
    """

    def __init__(self, name: str) -> None:
        sys.setswitchinterval(min(_SWITCH_SECONDS, sys.getswitchinterval()))
        self._commands: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)

    @property
    def alive(self) -> bool:
        """Whether the thread still runs."""
        return self._thread.is_alive()

    def close(self, timeout: float = 2.0) -> None:
        """End the thread, and wait so many seconds for it."""
        self._closed.set()
        self._commands.put(lambda: None)
        self._thread.join(timeout)

    @abstractmethod
    def _next_turn(self) -> float | None:
        """When to go on by itself, by `time.perf_counter`; ``None`` to wait for a command."""

    @abstractmethod
    def _advance(self) -> None:
        """Do the next piece of work."""

    @abstractmethod
    def _fail(self, error: BaseException) -> None:
        """Deal with what a command or a piece of work raised."""

    def _loop(self) -> None:
        while not self._closed.is_set():
            try:
                self._turn()
            except BaseException as error:  # whatever it is, nobody else would hear of it
                self._fail(error)

    def _turn(self) -> None:
        """Obey the next command, or go on."""
        (self._next_command() or self._advance)()

    def _next_command(self) -> Callable[[], None] | None:
        """Wait for a command; ``None`` when it is time to go on instead."""
        due = self._next_turn()
        try:
            return self._commands.get(timeout=None if due is None else max(0.0, due - time.perf_counter()))
        except queue.Empty:
            return None
