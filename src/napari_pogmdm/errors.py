"""Exceptions: `InputError`, the one that users meet, and `Cancelled`."""

from __future__ import annotations


class InputError(ValueError):
    """Something the user gave cannot be used.

    The message is one sentence that names the file or field and the way out. The terminal prints it and exits
    with code 2, the window shows it as a notification; neither shows a traceback.
    """


class Cancelled(Exception):  # noqa: N818 - not an error: the user asked for it
    """A long computation stopped because it was asked to."""
