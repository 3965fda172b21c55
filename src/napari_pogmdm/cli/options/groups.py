"""Options that belong together as one dataclass: a command takes it whole, typer sees each of its fields.

A class of `Settings` is such a group as it is: the help of its options is what its fields say about themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer

from napari_pogmdm.settings import Setting, Settings, describe


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options.

    Parameters
    ----------
    command
        A function for typer. A parameter whose type is a dataclass stands for the options that its fields describe, as
        parameters of the command would; a field may be such a group itself.

    Returns
    -------
    The same command for typer, with all options one by one.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    options: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        if parameter.name in groups:
            options.extend(_options_of(groups[parameter.name]))
        else:
            options.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[parameter.name]))

    @wraps(command)
    def flat(**values: Any) -> None:
        made = {name: _gather(kind, values) for name, kind in groups.items()}
        command(**values, **made)

    flat.__signature__ = Signature(options)  # type: ignore[attr-defined]
    flat.__annotations__ = {option.name: option.annotation for option in options}
    return flat


def help_of(setting: Setting) -> str:
    """Write what a setting does as the help of an option."""
    unit = f" ({setting.unit})" if setting.unit else ""
    return f"{setting.meaning[:1].upper()}{setting.meaning[1:]}{unit}."


def _options_of(group: Any) -> Iterator[Parameter]:
    """Write the fields of a group as the parameters of a command."""
    hints = get_type_hints(group, include_extras=True)
    if issubclass(group, Settings):
        told = describe(group)
        hints |= {name: Annotated[one.kind, typer.Option(help=help_of(one))] for name, one in told.items()}
    for field in fields(group):
        kind = hints[field.name]
        if is_dataclass(kind):
            yield from _options_of(kind)
        else:
            default = Parameter.empty if field.default is MISSING else field.default
            yield Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _gather(group: Any, values: dict[str, Any]) -> Any:
    """Make a group from the values that belong to it, and take them out of all values."""
    hints = get_type_hints(group, include_extras=True)
    found = {}
    for field in fields(group):
        kind = hints[field.name]
        found[field.name] = _gather(kind, values) if is_dataclass(kind) else values.pop(field.name)
    return group(**found)
