"""Ends what works in the background together with a window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Background(Protocol):
    """Something with threads."""

    def close(self) -> None:
        """End them."""


def closing(*backgrounds: Background) -> Callable[[], None]:
    """Make a callback that ends the threads without touching the window, which is gone by then."""

    def close() -> None:
        for background in backgrounds:
            background.close()

    return close
