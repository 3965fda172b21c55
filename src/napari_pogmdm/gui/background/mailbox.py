"""One slot between two threads; no Qt in here."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Content = TypeVar("Content")


class Mailbox(Generic[Content]):
    """One slot between two threads; what was not taken in time is replaced by what is newer, or added to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._content: Content | None = None

    def put(self, content: Content) -> None:
        """Leave something to be taken."""
        self.update(lambda waiting: content)

    def update(self, change: Callable[[Content | None], Content]) -> None:
        """Replace what waits by what ``change`` makes of it; nobody else takes or leaves anything meanwhile."""
        with self._lock:
            self._content = change(self._content)

    def peek(self) -> Content | None:
        """Look at what there is, and leave it."""
        return self._content

    def take(self) -> Content | None:
        """Take what there is, once."""
        with self._lock:
            content, self._content = self._content, None
            return content
