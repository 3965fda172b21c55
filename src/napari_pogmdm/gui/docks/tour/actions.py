"""What a lesson may do to the window: a fixed list of verbs, and which of them set up a step from any other."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from napari_pogmdm.errors import InputError
from napari_pogmdm.gui.core.session import LARGEST_SEED
from napari_pogmdm.gui.docks.tour.figures.names import FIGURES, OFF
from napari_pogmdm.gui.layers.style import STYLES
from napari_pogmdm.physics.masks.names import DEFAULT_AXIS, DEFAULT_CENTRE_FRACTION, DEFAULT_MASK_SEED, Axis, MaskKind
from napari_pogmdm.recon.sampler.presets import preset
from napari_pogmdm.recon.sampler.settings import SamplerSettings
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe
from napari_pogmdm.setting_text import with_values

RENAMED = {"Mask": "Sampling"}
"""Docks by the names that they had before, which lessons may still have."""
DOCKS = ("Data", "Sampling", "Model", "Sampler", "Trace", "Inspector", "Compare", "Denoise", "Recordings")
_LARGEST_MASK_SEED = 2.0**32 - 1  # of NumPy's generators
_MOST_STEPS = 1000  # that a lesson waits for
_LONGEST_NAME = 400  # letters of a file's name
_WIDGET = re.compile(r"^[A-Za-z][a-z_]*(\.[a-z][a-z_0-9]*)*$")


@dataclass(frozen=True)
class Verb:
    """How a verb's value is read, and what it is to the state of the window.

    Attributes
    ----------
    check
        Reads the value, or raises `InputError`.
    lasting
        Describes a state, in which the last word counts; the others are done one after the other.
    """

    check: Callable[[str], Any]
    lasting: bool = True


@dataclass(frozen=True)
class Action:
    """One line of a setup: what to do, with what, and the line of the file it stands in."""

    verb: str
    value: str
    line: int = 0


def mask_recipe(text: str) -> MaskRecipe:
    """Read ``kind acceleration centre-percent [seed] [rows]``."""
    kind, *words = text.split()
    if kind not in {*MaskKind}:
        raise InputError(f"unknown kind {kind!r}; choose from {', '.join(MaskKind)}.")
    axis = words.pop() if words and words[-1] in {*Axis} else DEFAULT_AXIS.value
    values = [number(value, 0.0, _LARGEST_MASK_SEED) for value in words]
    if not 1 <= len(values) <= 3 or values[0] <= 1:
        raise InputError(
            "write kind, acceleration above 1, percent of central lines and, if you like, a seed and rows."
        )
    centre = values[1] / 100 if len(values) > 1 else DEFAULT_CENTRE_FRACTION
    seed = int(values[2]) if len(values) > 2 else DEFAULT_MASK_SEED
    return MaskRecipe(kind, values[0], centre, seed, axis)


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
    """Read the name of a widget: its object name, or its way from a dock, such as ``Sampler.buttons.substep``."""
    if not _WIDGET.match(text):
        raise InputError(f"{text[:60]!r} is not the name of a widget, such as Sampler.buttons.substep.")
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
    return one_of("substep", "iteration")(kind) == "iteration", int(number(count or "1", 1, _MOST_STEPS))


def labels(text: str) -> tuple[str, ...]:
    """Read methods of the Compare dock as they are called there, with semicolons between them."""
    found = tuple(label.strip() for label in text.split(";"))
    if not all(found):
        raise InputError("write methods as the Compare dock calls them, with semicolons between them.")
    return found


def source(text: str) -> str:
    """Read ``demo``, ``phantom``, or the name of a file."""
    if not text or "\0" in text or len(text) > _LONGEST_NAME:
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
    "seed": Verb(whole(0, LARGEST_SEED)),
    "start": Verb(one_of("paused", "playing", "running"), lasting=False),
    "step": Verb(steps, lasting=False),
    "frame": Verb(whole(0, 200_000), lasting=False),
    "press": Verb(widget, lasting=False),
    "network": Verb(source, lasting=False),
    "tick": Verb(labels, lasting=False),
    "turn": Verb(turned, lasting=False),
    "show": Verb(roles),
    "grid": Verb(grid_roles),
    "figure": Verb(one_of(*FIGURES, OFF)),
    "dock": Verb(one_of(*DOCKS, *RENAMED)),
    "algorithm": Verb(one_of("on", "off")),
    "highlight": Verb(widget),
}
"""In the order in which they are done when a step is set up from scratch."""

_BEGINNINGS = {"start", "recording", "open"}
_OFF_UNLESS_SAID = ("grid", "figure", "algorithm")
_ORDER = {verb: place for place, verb in enumerate(VERBS)}
_FIRST_DONE = _ORDER["start"]
_LAST_DONE = _ORDER["turn"]


def onwards(setup: Sequence[Action]) -> tuple[Action, ...]:
    """Give what leads from the step before to one with this setup; grid, figure, algorithm are as it says, or off."""
    mentioned = {action.verb for action in setup}
    return (*(Action(verb, OFF) for verb in _OFF_UNLESS_SAID if verb not in mentioned), *setup)


def from_scratch(setups: Sequence[Sequence[Action]]) -> tuple[Action, ...]:
    """Give all that the last of some steps needs, wherever one comes from.

    Of what describes a state that is the last word, of what is done one after the other all since a run began.
    """
    lasting: dict[str, list[Action]] = {}
    done: list[Action] = []
    for number, setup in enumerate(setups, 1):
        for action in setup:
            if action.verb in _BEGINNINGS:
                done = []
            if not VERBS[action.verb].lasting:
                done.append(action)
            elif _ORDER[action.verb] < _FIRST_DONE:
                _remember(lasting, action)
            elif number == len(setups):
                lasting.setdefault(action.verb, []).append(action)
    for verb in _OFF_UNLESS_SAID:
        lasting.setdefault(verb, [Action(verb, OFF)])
    ordered = sorted(lasting.items(), key=lambda item: _ORDER[item[0]])
    before = [action for verb, actions in ordered if _ORDER[verb] < _FIRST_DONE for action in actions]
    after = [action for verb, actions in ordered if _ORDER[verb] > _LAST_DONE for action in actions]
    opened = [action for action in done if action.verb in {"press", "turn"}]
    run = [action for action in done if action.verb not in {"press", "turn"}]
    return (*before, *run, *after, *opened)


def _remember(lasting: dict[str, list[Action]], action: Action) -> None:
    """Keep the last word; single settings add up, until a preset replaces them all."""
    if action.verb == "set":
        lasting.setdefault("set", []).append(action)
        return
    lasting[action.verb] = [action]
    if action.verb == "preset":
        lasting.pop("set", None)
    if action.verb == "open":
        lasting.pop("recording", None)
    if action.verb == "recording":
        lasting.pop("open", None)
