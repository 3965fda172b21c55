"""Settings that are declared once: default, range, unit, symbol and meaning stand together at each field.

A class of settings derives from `Settings` and makes its fields with `setting`. Checking, JSON, ``name=value`` on a
command line, forms in the window and tables in the documents read the declarations through `describe`.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from enum import StrEnum
from functools import cache
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypeVar, get_type_hints

from napari_pogmdm.errors import InputError

Value = TypeVar("Value", bound="bool | int | float | StrEnum")
Conditions = dict[str, tuple[str | bool, ...]]
"""Values that other settings must have, by name."""
_KEY = "napari_pogmdm.setting"
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class Setting:
    """What is known about one setting.

    Attributes
    ----------
    meaning
        What it does, as the beginning of a sentence.
    name, kind, default
        Name, type (bool, int, float or a `StrEnum`) and default of the field.
    label
        Words in a form; the name in words if empty.
    group
        Title of the part of a form that it belongs to.
    low, high
        Smallest and largest number that is allowed.
    odd
        Whether only odd numbers are allowed.
    zero
        Word that may stand for 0 where that number means something else than nothing, such as "auto".
    step
        By how much a spin box changes it; 0 takes a step that fits the value.
    unit
        Of numbers.
    symbol, formula
        How equations write it, and the one it stands in: ``_x`` is a subscript, ``^x`` and ``^{x y}`` are superscripts.
    live
        Whether it may change while a run is under way.
    only_with
        Values of other settings without which this one does nothing.
    """

    meaning: str = ""
    name: str = ""
    kind: type = float
    default: Any = None
    label: str = ""
    group: str = "Other"
    low: float = -math.inf
    high: float = math.inf
    odd: bool = False
    zero: str = ""
    step: float = 0.0
    unit: str = ""
    symbol: str = ""
    formula: str = ""
    live: bool = False
    only_with: Conditions = field(default_factory=dict)

    @property
    def choices(self) -> tuple[str, ...]:
        """Words that are allowed; none for numbers, and for yes or no."""
        return tuple(self.kind) if issubclass(self.kind, StrEnum) else ()

    @property
    def wanted(self) -> str:
        """Say which values are allowed."""
        if self.kind is bool:
            return "true or false"
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        number = ("an odd whole number" if self.odd else "a whole number") if self.kind is int else "a number"
        shown = str if self.kind is int else "{:.10g}".format
        allowed = number if self.low == -math.inf else f"{number} from {shown(self.low)} to {shown(self.high)}"
        return f"{self.zero} (0) or {allowed}" if self.zero else allowed

    def checked(self, value: Any) -> Any:
        """Give a value in the type of the setting, or say which values are allowed."""
        if self.zero and value == self.zero:
            return self.kind(0)
        family = bool if self.kind is bool else {int: Integral, float: Real}.get(self.kind, str)
        right = isinstance(value, family) and (self.kind is bool or not isinstance(value, bool))
        # The range comes before the conversion: whole numbers in JSON may be too large to become a float.
        if right and (value in self.choices if self.choices else self._fits(value)):
            return self.kind(value)
        raise InputError(f"{self.name}: {repr(value)[:80]} is not {self.wanted}.")

    def _fits(self, number: float) -> bool:
        return self.low <= number <= self.high and not (self.odd and number % 2 == 0)

    def read(self, text: str) -> Any:
        """Give the value that a text stands for, or say which values are allowed."""
        try:
            value = _TRUTH[text.lower()] if self.kind is bool else self.kind(text)
        except (KeyError, ValueError):
            value = text
        return self.checked(value)

    def used_by(self, settings: Settings) -> bool:
        """Whether the setting does anything, given the values of the others."""
        return all(getattr(settings, name) in values and settings.uses(name) for name, values in self.only_with.items())


def setting(
    default: Value,
    meaning: str,
    *,
    label: str = "",
    group: str = "Other",
    within: tuple[float, float] = (-math.inf, math.inf),
    odd: bool = False,
    zero: str = "",
    step: float = 0.0,
    unit: str = "",
    symbol: str = "",
    formula: str = "",
    live: bool = False,
    only_with: Conditions | None = None,
) -> Value:
    """Declare a field of a class of settings.

    Parameters
    ----------
    default
        Its value where nobody sets it.
    within
        Smallest and largest number that is allowed.
    meaning, label, group, odd, zero, step, unit, symbol, formula, live, only_with
        As in `Setting`.
    """
    told = Setting(
        meaning,
        label=label,
        group=group,
        low=within[0],
        high=within[1],
        odd=odd,
        zero=zero,
        step=step,
        unit=unit,
        symbol=symbol,
        formula=formula,
        live=live,
        only_with=only_with or {},
    )
    return field(default=default, metadata={_KEY: told})


def describe(settings: type[Settings]) -> Mapping[str, Setting]:
    """List the settings of a class by name, in the order of its fields."""
    return _described(settings)  # type: ignore[arg-type]  # mypy takes the hash of its instances for that of the class


@cache
def _described(settings: type[Settings]) -> Mapping[str, Setting]:
    kinds = get_type_hints(settings)
    found = {}
    for one in fields(settings):
        told: Setting = one.metadata.get(_KEY, Setting())
        label = told.label or one.name.replace("_", " ").capitalize()
        found[one.name] = replace(told, name=one.name, kind=kinds[one.name], default=one.default, label=label)
    return found


@dataclass(frozen=True)
class Settings:
    """Base of immutable, checked classes of settings, which are frozen dataclasses themselves.

    Attributes
    ----------
    title
        What the class is called in messages and documents.
    """

    title: ClassVar[str] = "settings"

    def __init_subclass__(cls) -> None:
        """Write the meanings of the fields into the docstring, where ``help`` finds them, and keep the short repr."""
        super().__init_subclass__()
        told = {name: one.metadata.get(_KEY) for name, one in vars(cls).items() if isinstance(one, Field)}
        lines = (f"{name}\n    {one.meaning[:1].upper()}{one.meaning[1:]}." for name, one in told.items() if one)
        cls.__repr__ = Settings.__repr__  # type: ignore[method-assign]
        cls.__doc__ = "\n".join((inspect.cleandoc(cls.__doc__ or ""), "", "Attributes", "----------", *lines))

    def __post_init__(self) -> None:
        for name, one in describe(type(self)).items():
            object.__setattr__(self, name, one.checked(getattr(self, name)))

    def __repr__(self) -> str:
        usual = {name: one.default for name, one in describe(type(self)).items()}
        told = (f"{name}={value!r}" for name, value in self.to_dict().items() if value != usual[name])
        return f"{type(self).__name__}({', '.join(told)})"

    def uses(self, name: str) -> bool:
        """Whether a setting does anything, given the values of the others."""
        return describe(type(self))[name].used_by(self)

    def to_dict(self) -> dict[str, Any]:
        """Give the settings as plain data."""
        values = {name: getattr(self, name) for name in describe(type(self))}
        return {name: str(value) if isinstance(value, StrEnum) else value for name, value in values.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave; unknown names are refused, missing ones take their default."""
        known = describe(cls)
        unknown = sorted(set(data) - set(known))
        if unknown:
            raise InputError(f"{cls.title}: unknown name {unknown[0]!r}; known are {', '.join(sorted(known))}.")
        return cls(**data)

    def to_json(self) -> str:
        """Write as JSON text."""
        return json.dumps(self.to_dict(), indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(f"{cls.title}: not valid JSON ({error}).") from error
        if not isinstance(data, dict):
            raise InputError(f"{cls.title}: expected a JSON object of names and values.")
        return cls.from_dict(data)


def require_below(settings: Settings, lower: str, upper: str) -> None:
    """Refuse settings in which one number is not below another."""
    low, high = getattr(settings, lower), getattr(settings, upper)
    if not low < high:
        raise InputError(f"{lower}: {low!r} is not below {upper}, {high!r}.")
