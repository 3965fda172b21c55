"""A mask under the brush: strokes, undo and redo, and one sentence for each change. No window in here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from napari_pogmdm.gui.docks.sampling.brush import Brush, Cell, Symmetry, central_lines, central_square, covered
from napari_pogmdm.gui.docks.sampling.edit import Edit
from napari_pogmdm.physics.masks.mask import Mask, Samples
from napari_pogmdm.recon.sampling.mask_recipe import MaskRecipe

DEPTH = 60
"""How many changes can be undone; each keeps a mask, so that a scan of 512 x 512 needs 16 MB."""
MOST_SENTENCES = 100
"""How many changes are told one by one; they are written into the record of every run."""


@dataclass(frozen=True, eq=False)
class _State:
    """The mask that drawing went on from, what gave it, and what was made of it since."""

    base: Mask
    request: MaskRecipe | Mask
    samples: Samples
    edits: tuple[Edit, ...] = ()


@dataclass(eq=False)
class _Stroke:
    """A stroke that is not finished yet, from its first cell to the last, and all cells that it covers."""

    brush: Brush
    erase: bool
    size: int
    symmetry: Symmetry
    start: Cell
    last: Cell
    cells: Samples


class Drawing:
    """The mask that is being drawn.

    Parameters
    ----------
    mask, request
        Where it starts, and what gave that mask: itself, or a recipe.
    allowed
        (rows, columns) The samples that the file holds, if it does not hold all.

    Attributes
    ----------
    allowed
        As given; it may change with the slice.
    refused
        How many cells of the last change were not painted because the file does not hold them.
    end
        Where the last stroke ended.
    """

    def __init__(self, mask: Mask, request: MaskRecipe | Mask, allowed: Samples | None = None) -> None:
        self.allowed = allowed
        self.refused = 0
        self.end: Cell | None = None
        self._states = [_State(mask, request, mask.samples)]
        self._shown = 0
        self._stroke: _Stroke | None = None

    @property
    def samples(self) -> Samples:
        """The samples as they look now, an unfinished stroke included."""
        return self._now.samples

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._state.base.shape

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was changed by hand since the start, oldest first, bounded in number."""
        edits = self._now.edits
        hidden = len(edits) - MOST_SENTENCES + 1
        if hidden <= 1:
            return tuple(str(edit) for edit in edits)
        return (f"{hidden} earlier changes by hand", *(str(edit) for edit in edits[hidden:]))

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return self._shown > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a change to make again."""
        return self._shown + 1 < len(self._states)

    def request(self) -> MaskRecipe | Mask:
        """Return what the session should use: the start if nothing was changed, else the mask with its history.

        Raises
        ------
        InputError
            If no sample is left.
        """
        now = self._now
        if not now.edits:
            return now.request
        base = now.base
        if any(edit.verb == "cleared" for edit in now.edits):
            base = replace(base, kind="drawn", asked_acceleration=None, centre_fraction=None, seed=None, axis=None)
        return replace(base, samples=now.samples, edits=(*base.edits, *self.sentences))

    def begin(self, brush: Brush, cell: Cell, *, erase: bool, size: int, symmetry: Symmetry) -> None:
        """Press the brush onto a cell.

        Parameters
        ----------
        brush, size
            Form and diameter of the brush, see `covered`.
        cell
            Row and column.
        erase
            Whether samples are taken away.
        symmetry
            Mirror images that are painted together with the stroke.
        """
        self.finish()
        cells = symmetry.spread(covered(brush, cell, cell, size, self.shape))
        self._stroke = _Stroke(brush, erase, size, symmetry, cell, cell, cells)

    def extend(self, cell: Cell) -> None:
        """Draw on to another cell; a line is stretched, all others leave a trail."""
        stroke = self._stroke
        if stroke is None:
            return
        line = stroke.brush is Brush.LINE
        piece = covered(stroke.brush, stroke.start if line else stroke.last, cell, stroke.size, self.shape)
        piece = stroke.symmetry.spread(piece)
        stroke.cells = piece if line else stroke.cells | piece
        stroke.last = cell

    def finish(self) -> None:
        """Lift the brush."""
        stroke = self._stroke
        if stroke is None:
            return
        now = self._now
        self._stroke = None
        self.end = stroke.last
        self._count_refused(stroke.cells, stroke.erase)
        if now is not self._state:
            self._push(now)

    def fill_lines(self, count: int, axis: str) -> None:
        """Sample the middle lines: the auto-calibration signal (ACS)."""
        cells = central_lines(count, self.shape, axis)
        self._paint(cells, Edit("filled", f"the {count} central {axis}"))

    def fill_square(self, count: int) -> None:
        """Sample the middle square."""
        self._paint(central_square(count, self.shape), Edit("filled", f"the central {count} x {count} samples"))

    def clear(self) -> None:
        """Sample nothing."""
        self.finish()
        self.refused = 0
        self._keep(np.zeros(self.shape, dtype=bool), Edit("cleared", "everything"))

    def invert(self) -> None:
        """Sample what was not, and not what was."""
        self.finish()
        self.refused = 0
        self._keep(self._held(~self._state.samples), Edit("inverted", "everything"))

    def replace_samples(self, samples: Samples, how: str) -> None:
        """Take over samples that were changed elsewhere, such as by napari's own tools."""
        self.finish()
        self._count_refused(samples & ~self._state.samples, False)
        after = self._held(samples)
        painted = int((after & ~self._state.samples).sum())
        erased = int((self._state.samples & ~after).sum())
        self._keep(after, Edit("changed", f"{painted + erased} samples {how}"))

    def restart(self, mask: Mask, request: MaskRecipe | Mask) -> None:
        """Go on from another mask; that, too, can be undone, unless it looks the same and nothing was drawn."""
        self.finish()
        state = _State(mask, request, mask.samples)
        if not self._state.edits and np.array_equal(self._state.samples, mask.samples):
            self._states[self._shown] = state
        else:
            self._push(state)

    def undo(self) -> None:
        """Take the last change back."""
        self.finish()
        self._shown = max(self._shown - 1, 0)

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        self.finish()
        self._shown = min(self._shown + 1, len(self._states) - 1)

    @property
    def _state(self) -> _State:
        return self._states[self._shown]

    @property
    def _now(self) -> _State:
        stroke, state = self._stroke, self._state
        if stroke is None:
            return state
        before = state.samples
        after = before & ~stroke.cells if stroke.erase else self._held(before | stroke.cells)
        return _changed(state, after, _described(stroke, after != before))

    def _held(self, samples: Samples) -> Samples:
        return samples if self.allowed is None else samples & self.allowed

    def _count_refused(self, cells: Samples, erase: bool) -> None:
        self.refused = 0 if erase or self.allowed is None else int((cells & ~self.allowed).sum())

    def _paint(self, cells: Samples, edit: Edit) -> None:
        self.finish()
        self._count_refused(cells, False)
        self._keep(self._held(self._state.samples | cells), edit)

    def _keep(self, samples: Samples, edit: Edit) -> None:
        after = _changed(self._state, samples, edit)
        if after is not self._state:
            self._push(after)

    def _push(self, state: _State) -> None:
        self._states = [*self._states[: self._shown + 1], state][-DEPTH - 1 :]
        self._shown = len(self._states) - 1


def _changed(state: _State, samples: Samples, edit: Edit) -> _State:
    """Return the state after a change; the same one if it changes nothing."""
    if np.array_equal(samples, state.samples):
        return state
    both = state.edits[-1].joined(edit) if state.edits else None
    edits = (*state.edits, edit) if both is None else (*state.edits[:-1], both)
    return replace(state, samples=samples, edits=edits)


def _described(stroke: _Stroke, changed: Samples) -> Edit:
    verb = "erased" if stroke.erase else "painted"
    if stroke.brush is Brush.COLUMN:
        return Edit(verb, "columns", tuple(int(place) for place in np.flatnonzero(changed.any(axis=0))))
    if stroke.brush is Brush.ROW:
        return Edit(verb, "rows", tuple(int(place) for place in np.flatnonzero(changed.any(axis=1))))
    if stroke.brush is Brush.POINT:
        return Edit(verb, "samples", count=int(changed.sum()))
    mirrors = f", mirrored {stroke.symmetry}" if str(stroke.symmetry) else ""
    return Edit(verb, f"a line from {stroke.start} to {stroke.last}{mirrors}")
