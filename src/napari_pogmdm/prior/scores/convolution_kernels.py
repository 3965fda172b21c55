"""Compiled score of small filters: filter a row, look up its activations, and apply the transposed filter.

Everything happens in rows that stay in the first-level cache; nothing the size of (filters, image) is ever stored.
The loops hold no GIL and use no threading layer, so any number of Python threads may run them at once.
"""

from __future__ import annotations

import numpy as np

from napari_pogmdm.arrays import Singles
from napari_pogmdm.runtime.compiled import compiled


@compiled(fastmath=True, error_model="numpy")
def add_filtered(row: Singles, taps: Singles, out: Singles) -> None:
    """Add the correlation of one image row with one row of filter taps: ``out[x] += sum_b taps[b] row[x + b]``."""
    width = out.size
    if taps.size == 5:
        c0, c1, c2, c3, c4 = taps[0], taps[1], taps[2], taps[3], taps[4]
        for x in range(width):
            out[x] += c0 * row[x] + c1 * row[x + 1] + c2 * row[x + 2] + c3 * row[x + 3] + c4 * row[x + 4]
    elif taps.size == 7:
        c0, c1, c2, c3, c4, c5, c6 = taps[0], taps[1], taps[2], taps[3], taps[4], taps[5], taps[6]
        for x in range(width):
            left = c0 * row[x] + c1 * row[x + 1] + c2 * row[x + 2]
            right = c3 * row[x + 3] + c4 * row[x + 4] + c5 * row[x + 5] + c6 * row[x + 6]
            out[x] += left + right
    else:
        for b in range(taps.size):
            c = taps[b]
            shifted = row[b : b + width]
            for x in range(width):
                out[x] += c * shifted[x]


@compiled(fastmath=True, error_model="numpy")
def look_up(responses: Singles, cells: Singles, inverse_step: np.float32, out: Singles) -> None:
    """Evaluate an odd tabulated function by linear interpolation, and beyond the last node by its last slope.

    ``cells`` has shape (nodes - 1, 2): value at the left node and difference to the right one.
    """
    last = cells.shape[0] - 1
    top = np.float32(last)
    for x in range(responses.size):
        u = responses[x]
        position = abs(u) * inverse_step
        cell = int(min(position, top))
        value = cells[cell, 0] + (position - np.float32(cell)) * cells[cell, 1]
        out[x] = value if u >= 0 else -value


@compiled(fastmath=True, error_model="numpy")
def score_band(
    image: Singles,
    filters: Singles,
    cells: Singles,
    inverse_steps: Singles,
    first: int,
    last: int,
    out: Singles,
) -> None:
    """Write rows ``first`` to ``last - 1`` of the score of one real image, circular at its borders.

    Parameters
    ----------
    image
        (height, width), any strides.
    filters
        Correlation kernels f_k, (filters, taps, taps), of odd size.
    cells
        Tables of the potentials' derivatives, (filters, nodes - 1, 2), see `look_up`.
    inverse_steps
        One over the distance between the nodes, (filters,).
    first, last
        Rows to compute, the last one excluded.
    out
        Written: the score, like ``image``.
    """
    height, width = image.shape
    count, taps, _ = filters.shape
    half = taps // 2
    flipped = np.ascontiguousarray(filters[:, :, ::-1])
    rows = np.empty((taps, width + 2 * half), dtype=np.float32)
    sums = np.zeros((taps, width), dtype=np.float32)
    responses = np.empty(width, dtype=np.float32)
    activations = np.empty(width + 2 * half, dtype=np.float32)
    for y in range(first - half, last + half):
        # image rows y - half .. y + half live in a ring: only one new row is copied per step
        start = y - half if y == first - half else y + half
        for fresh in range(start, y + half + 1):
            source = fresh % height
            target = rows[fresh % taps]
            for x in range(width):
                target[x + half] = image[source, x]
            for x in range(half):
                target[x] = target[width + x]
                target[width + half + x] = target[half + x]
        for k in range(count):
            responses[:] = 0.0
            for a in range(taps):
                add_filtered(rows[(y + a - half) % taps], filters[k, a], responses)
            look_up(responses, cells[k], inverse_steps[k], activations[half : half + width])
            for x in range(half):
                activations[x] = activations[width + x]
                activations[width + half + x] = activations[half + x]
            for a in range(taps):
                add_filtered(activations, flipped[k, a], sums[(y + a - half) % taps])
        done = y - half
        finished = sums[done % taps]
        if done >= first:
            for x in range(width):
                out[done, x] = -finished[x]
        finished[:] = 0.0
