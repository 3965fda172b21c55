"""Exceptions: `InputError`, the one that users meet, and `Cancelled`."""

from __future__ import annotations


class InputError(ValueError):
    """Something the user gave cannot be used.

    The message is one sentence that names the file or field and the way out. The terminal prints it and exits
    with code 2, the window shows it as a notification; neither shows a traceback. Words from files may stand in it, so
    it holds nothing that would command a terminal.
    """

    def __init__(self, message: str = "", *others: object) -> None:
        super().__init__(printable(str(message)), *others)


class Cancelled(Exception):  # noqa: N818 - not an error: the user asked for it
    """A long computation stopped because it was asked to."""


def printable(text: str) -> str:
    """Replace what commands a terminal instead of being shown, such as escape sequences and line ends, by blanks."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
