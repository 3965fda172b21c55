"""What a lesson may do to the window: a fixed list of verbs, each of which knows what its value looks like."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.layers.style import STYLES
from napari_pogmdm.physics.masks.kinds import MaskKind
from napari_pogmdm.recon.mask_recipe import MaskRecipe
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.setting_text import with_values

DOCKS = ("Data", "Mask", "Model", "Sampler", "Trace", "Inspector", "Compare", "Denoise", "Recordings")
_WIDGET = re.compile(r"^[A-Za-z][a-z_]*(\.[a-z][a-z_0-9]*)*$")


@dataclass(frozen=True)
class Verb:
    """How a verb's value is read (``check`` raises `InputError`), and what it is to the state of the window.

    ``lasting`` ones describe a state, in which the last word counts; the others are done one after the other.
    """

    check: Callable[[str], Any]
    lasting: bool = True


def mask_recipe(text: str) -> MaskRecipe:
    """Read ``kind acceleration centre-percent [seed]``."""
    kind, *numbers = text.split()
    if kind not in {*MaskKind}:
        raise InputError(f"unknown kind {kind!r}; choose from {', '.join(MaskKind)}.")
    values = [number(value, 0.0, 2.0**32 - 1) for value in numbers]
    if not 1 <= len(values) <= 3 or values[0] <= 1:
        raise InputError("write kind, acceleration above 1, percent of central lines and, if need be, a seed.")
    recipe = MaskRecipe(kind, values[0])
    if len(values) > 1:
        recipe = MaskRecipe(kind, values[0], values[1] / 100)
    return recipe if len(values) < 3 else MaskRecipe(kind, values[0], values[1] / 100, int(values[2]))


def number(text: str, low: float, high: float) -> float:
    """Read a number between two limits."""
    try:
        value = float(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise InputError(f"{text!r} is not a number from {low:g} to {high:g}.")
    return value


def whole(low: int, high: int) -> Callable[[str], int]:
    """Make a reader of whole numbers between two limits."""
    return lambda text: int(number(text, low, high))


def one_of(*words: str) -> Callable[[str], str]:
    """Make a reader of a word from a list."""

    def read(text: str) -> str:
        if text not in words:
            raise InputError(f"unknown {text[:40]!r}; choose from {', '.join(words)}.")
        return text

    return read


def roles(text: str) -> tuple[str, ...]:
    """Read names of layers."""
    return tuple(one_of(*STYLES)(role.strip()) for role in text.split(","))


def grid_roles(text: str) -> tuple[str, ...]:
    """Read names of layers, or ``off``."""
    return () if text == "off" else roles(text)


def values(text: str) -> tuple[str, ...]:
    """Read sampler settings as ``name=value, name=value``."""
    pairs = tuple(pair.strip() for pair in text.split(","))
    try:
        with_values(SamplerSettings(), pairs)
    except InputError as error:
        raise InputError(str(error).removeprefix("--set: ")) from error
    return pairs


def widget(text: str) -> str:
    """Read the name of a widget: its object name, or its way from a dock, such as ``Sampler.transport.substep``."""
    if not _WIDGET.match(text):
        raise InputError(f"{text[:60]!r} is no name of a widget, such as Sampler.transport.substep.")
    return text


def turned(text: str) -> tuple[str, str]:
    """Read a widget and the value it should show."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not value:
        raise InputError("write the name of a widget, = and a value.")
    return widget(name), value


def steps(text: str) -> tuple[bool, int]:
    """Read ``substep`` or ``iteration`` and how many of them: whether whole iterations, and the count."""
    kind, _, count = text.partition(" ")
    return one_of("substep", "iteration")(kind) == "iteration", int(number(count or "1", 1, 1000))


def source(text: str) -> str:
    """Read ``demo``, ``phantom``, or the name of a file."""
    if not text or "\0" in text or len(text) > 400:
        raise InputError("name a file, or write demo.")
    return text


VERBS: dict[str, Verb] = {
    "open": Verb(source),
    "recording": Verb(source),
    "slice": Verb(whole(0, 100_000)),
    "coils": Verb(whole(0, 256)),
    "mask": Verb(mask_recipe),
    "model": Verb(source),
    "preset": Verb(preset),
    "set": Verb(values),
    "chains": Verb(whole(1, 1000)),
    "seed": Verb(whole(0, 2**31 - 1)),
    "start": Verb(one_of("paused", "playing", "running"), lasting=False),
    "step": Verb(steps, lasting=False),
    "frame": Verb(whole(0, 200_000), lasting=False),
    "press": Verb(widget, lasting=False),
    "turn": Verb(turned, lasting=False),
    "show": Verb(roles),
    "grid": Verb(grid_roles),
    "dock": Verb(one_of(*DOCKS)),
    "algorithm": Verb(one_of("on", "off")),
    "highlight": Verb(widget),
}
"""In the order in which they are done when a step is set up from scratch."""
