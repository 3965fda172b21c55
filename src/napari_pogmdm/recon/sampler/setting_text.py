"""Single settings written as ``name=value``, the way a terminal has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from napari_pogmdm.errors import InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Settings = TypeVar("Settings", bound="DataclassInstance")
_TRUTH = {"true": True, "false": False}


def with_values(settings: Settings, texts: Sequence[str]) -> Settings:
    """Return settings with single values replaced, each given as ``name=value``."""
    changed: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        known = {field.name: getattr(settings, field.name) for field in fields(settings)}
        if not equals or name not in known:
            raise InputError(f"--set: cannot read {text!r}; write name=value with one of {', '.join(known)}.")
        changed[name] = _read(text, value, type(known[name]))
    return replace(settings, **changed)


def differences(settings: DataclassInstance, usual: DataclassInstance) -> list[str]:
    """Write what has to be set to get from the usual settings to these; `with_values` reads it."""
    before = asdict(usual)
    return [f"{name}={_write(value)}" for name, value in asdict(settings).items() if value != before[name]]


def _read(text: str, value: str, kind: type) -> Any:
    try:
        if kind is bool:
            return _TRUTH[value.lower()]
        read = kind(value)
        if kind is float and not math.isfinite(read):
            raise ValueError
    except (KeyError, ValueError):
        words = {bool: "true or false", int: "a whole number", float: "a number"}
        raise InputError(f"--set: {text!r} needs {words.get(kind, 'a word')} behind the sign.") from None
    return read


def _write(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
