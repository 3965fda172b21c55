"""One change of a mask by hand, in words; similar changes are joined into one sentence. No window in here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

_LONGEST_LIST = 60  # letters of a list of lines, about what fits into two lines of the dock


@dataclass(frozen=True)
class Edit:
    """One change.

    Attributes
    ----------
    verb
        "painted" or "erased".
    what
        "columns", "rows", "samples", or anything else that is a sentence already.
    places
        Which columns or rows.
    count
        How many samples.
    """

    verb: str
    what: str
    places: tuple[int, ...] = ()
    count: int = 0

    def __str__(self) -> str:
        if self.what in {"columns", "rows"}:
            what = self.what if len(self.places) > 1 else self.what[:-1]
            return f"{self.verb} {what} {ranges(np.asarray(self.places))}"
        if self.what == "samples":
            return f"{self.verb} {self.count} sample{'s' * (self.count != 1)} by hand"
        return f"{self.verb} {self.what}"

    def joined(self, other: Edit) -> Edit | None:
        """Say both changes in one sentence, if they are alike."""
        if (self.verb, self.what) != (other.verb, other.what):
            return None
        if self.what == "samples":
            return replace(self, count=self.count + other.count)
        if self.what in {"columns", "rows"}:
            both = replace(self, places=tuple(sorted({*self.places, *other.places})))
            return both if len(str(both)) <= _LONGEST_LIST else None
        return None


def ranges(numbers: NDArray[np.int64]) -> str:
    """Write sorted numbers for people: "3, 7 to 9"."""
    breaks = np.flatnonzero(np.diff(numbers) > 1) + 1
    runs = np.split(numbers, breaks)
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs if len(run))
