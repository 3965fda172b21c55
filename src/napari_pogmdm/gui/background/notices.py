"""Sentences for the user, and every exception as one of them; no Qt in here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from napari_pogmdm.errors import InputError
from napari_pogmdm.runtime.memory import exhausted

_MOST_LETTERS = 160  # of an unexpected error, so that napari shows the whole sentence in two or three lines


class NoticeKind(StrEnum):
    """What a notice is about: something that did not work, a device that was too small (the CPU may do), or news."""

    ERROR = "error"
    MEMORY = "memory"
    INFORMATION = "information"


@dataclass(frozen=True)
class Notice:
    """One sentence for the user.

    Attributes
    ----------
    kind
        Decides how it is shown, and whether a way out is offered.
    text
        The sentence, which names the file or field it is about.
    """

    kind: NoticeKind
    text: str


UNDER_WAY = Notice(NoticeKind.ERROR, "sampler: a run is under way; pause or cancel it first.")


def as_notice(error: BaseException, doing: str) -> Notice:
    """Translate what went wrong while ``doing`` something.

    Torch raises plain RuntimeErrors for most of its troubles, an exhausted memory among them, and napari's own workers
    lose exactly those: so they are caught where they happen and travel as data.

    Parameters
    ----------
    error
        What was raised.
    doing
        Opens the sentence where the error itself does not name a file or field.
    """
    if isinstance(error, InputError):
        return Notice(NoticeKind.ERROR, str(error))
    if exhausted(error):
        return Notice(
            NoticeKind.MEMORY, f"{doing}: the memory is full; choose the CPU, fewer virtual coils or a smaller scan."
        )
    if isinstance(error, OSError):
        return Notice(NoticeKind.ERROR, f"{doing}: {error.strerror or error}; is the file still there?")
    first = (str(error).strip().splitlines() or ["no reason given"])[0]
    return Notice(NoticeKind.ERROR, f"{doing}: failed unexpectedly ({type(error).__name__}: {first[:_MOST_LETTERS]}).")
