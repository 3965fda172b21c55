"""What has to be done to be at a step of a lesson, wherever one comes from."""

from __future__ import annotations

from napari_pogmdm.gui.docks.tour.actions import VERBS
from napari_pogmdm.gui.docks.tour.lesson_file import Action, Lesson

_BEGINNINGS = {"start", "recording", "open"}
_ORDER = {verb: place for place, verb in enumerate(VERBS)}
_FIRST_DONE = _ORDER["start"]
_LAST_DONE = _ORDER["turn"]


def onwards(lesson: Lesson, index: int) -> tuple[Action, ...]:
    """Give what leads from the step before to this one: its own setup, with outline and grid as it says, or none."""
    actions = lesson.steps[index].actions
    mentioned = {action.verb for action in actions}
    return (*(Action(verb, "off") for verb in ("grid", "algorithm") if verb not in mentioned), *actions)


def from_scratch(lesson: Lesson, index: int) -> tuple[Action, ...]:
    """Give all that a step needs: of what describes a state the last word, of what is done all since a run began."""
    lasting: dict[str, list[Action]] = {}
    done: list[Action] = []
    for number, step in enumerate(lesson.steps[: index + 1]):
        for action in step.actions:
            if action.verb in _BEGINNINGS:
                done = []
            if not VERBS[action.verb].lasting:
                done.append(action)
            elif _ORDER[action.verb] < _FIRST_DONE:
                _remember(lasting, action)
            elif number == index:
                lasting.setdefault(action.verb, []).append(action)
    for verb in ("grid", "algorithm"):
        lasting.setdefault(verb, [Action(verb, "off")])
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
