"""Older words of the command line, which are still understood."""

from __future__ import annotations

from collections.abc import Sequence

import typer

COMMANDS = {"record": "recording"}
OPTIONS = {"--acl": "--acs"}


def with_present_names(arguments: Sequence[str]) -> list[str]:
    """Put today's names into a command line, and say so on the error stream.

    Parameters
    ----------
    arguments
        The words after the name of the program; the first one names a command.
    """
    present = [_renamed(word, COMMANDS) if place == 0 else word for place, word in enumerate(arguments)]
    return [_renamed(word, OPTIONS) for word in present]


def _renamed(word: str, names: dict[str, str]) -> str:
    old, equals, value = word.partition("=")
    if old not in names:
        return word
    typer.secho(f"{old} is called {names[old]} now; the old name will be removed.", fg="yellow", err=True)
    return names[old] + equals + value
