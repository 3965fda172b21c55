"""Single settings written as ``name=value``, as in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from napari_pogmdm.errors import InputError
from napari_pogmdm.settings import Settings, describe

Given = TypeVar("Given", bound=Settings)


def with_values(settings: Given, texts: Sequence[str]) -> Given:
    """Return settings with single values replaced, each given as ``name=value``."""
    known = describe(type(settings))
    changed: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or name not in known:
            raise InputError(f"--set: cannot read {text!r}; write name=value with one of {', '.join(known)}.")
        try:
            changed[name] = known[name].read(value)
        except InputError as error:
            raise InputError(f"--set: {error}") from error
    return replace(settings, **changed)


def differences(settings: Settings, usual: Settings) -> list[str]:
    """Write what has to be set to get from the usual settings to these; `with_values` reads it."""
    before = usual.to_dict()
    changed = {name: value for name, value in settings.to_dict().items() if value != before[name]}
    return [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in changed.items()]
