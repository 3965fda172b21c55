"""One slot between two threads."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

Content = TypeVar("Content")


class Mailbox(Generic[Content]):
    """One slot between two threads; what was not taken in time is replaced by what is newer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._content: Content | None = None

    def put(self, content: Content) -> None:
        """Leave something to be taken."""
        with self._lock:
            self._content = content

    def take(self) -> Content | None:
        """Take what there is, once."""
        with self._lock:
            content, self._content = self._content, None
            return content
