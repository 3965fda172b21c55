"""The card of a model, in Markdown: its own file, or what its weights say."""

from __future__ import annotations

from pathlib import Path

from napari_pogmdm.prior.protocol import ScorePrior
from napari_pogmdm.prior.weights import list_models

_LARGEST_CARD = 256 * 1024  # bytes; a larger file beside the weights is something else
_LONGEST_FACT = 200  # letters


def card_of(prior: ScorePrior) -> str:
    """Give the shipped card, the one beside one's own weights, or a list of the training's facts."""
    source = str(prior.information.get("source", ""))
    path = next((entry.card for entry in list_models() if entry.name == source), Path(source).with_suffix(".md"))
    if source and path.is_file() and path.stat().st_size <= _LARGEST_CARD:
        return path.read_text(encoding="utf-8", errors="replace")
    training = prior.information.get("training", {})
    lines = [f"# {prior.name}", "", f"{prior.parameter_count} learned parameters. It has no card of its own.", ""]
    lines += [f"- {name}: {_short(value)}" for name, value in training.items()]
    return "\n".join(lines)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_FACT else f"{text[:_LONGEST_FACT]} ..."
