"""Compiled training step of small filters: loss and all its gradients in one sweep over the patches.

Filters are applied where they fit inside the patch ("valid"), so that patch borders teach the prior nothing:
a patch of P pixels with filters of v taps counts P - 2 (v - 1) pixels in the loss.
"""

from __future__ import annotations

import numpy as np

from napari_pogmdm.arrays import Doubles, Singles
from napari_pogmdm.prior.scores.convolution_kernels import add_filtered, look_up
from napari_pogmdm.runtime.compiled import compiled


@compiled(fastmath=True, error_model="numpy")
def _add_products(signal: Singles, row: Singles, sums: Doubles) -> None:
    """Add ``sum_x signal[x] row[x + b]`` to ``sums[b]``: the gradient with respect to one row of taps."""
    zero = np.float32(0.0)
    if sums.size == 5:
        s0, s1, s2, s3, s4 = zero, zero, zero, zero, zero
        for x in range(signal.size):
            value = signal[x]
            s0 += value * row[x]
            s1 += value * row[x + 1]
            s2 += value * row[x + 2]
            s3 += value * row[x + 3]
            s4 += value * row[x + 4]
        sums[0] += s0
        sums[1] += s1
        sums[2] += s2
        sums[3] += s3
        sums[4] += s4
    elif sums.size == 7:
        s0, s1, s2, s3, s4, s5, s6 = zero, zero, zero, zero, zero, zero, zero
        for x in range(signal.size):
            value = signal[x]
            s0 += value * row[x]
            s1 += value * row[x + 1]
            s2 += value * row[x + 2]
            s3 += value * row[x + 3]
            s4 += value * row[x + 4]
            s5 += value * row[x + 5]
            s6 += value * row[x + 6]
        sums[0] += s0
        sums[1] += s1
        sums[2] += s2
        sums[3] += s3
        sums[4] += s4
        sums[5] += s5
        sums[6] += s6
    else:
        for b in range(sums.size):
            shifted = row[b : b + signal.size]
            total = zero
            for x in range(signal.size):
                total += signal[x] * shifted[x]
            sums[b] += total


@compiled(fastmath=True, error_model="numpy")
def spread(
    responses: Singles, pulled: Singles, cells: Singles, inverse_step: np.float32, slopes: Singles, nodes: Doubles
) -> None:
    """Send the gradient ``pulled`` of the activations to the table's nodes, and to the responses in ``slopes``.

    Parameters
    ----------
    responses
        Of one filter, (points,).
    pulled
        Gradient of the loss with respect to their activations, (points,).
    cells, inverse_step
        Table of the filter, see `look_up`.
    slopes
        Written: gradient with respect to the responses; may be ``pulled`` itself.
    nodes
        Added to: gradient with respect to the table's nodes.
    """
    last = cells.shape[0] - 1
    top = np.float32(last)
    one = np.float32(1.0)
    for x in range(responses.size):
        u = responses[x]
        position = abs(u) * inverse_step
        cell = int(min(position, top))
        fraction = position - np.float32(cell)
        gradient = pulled[x] if u >= 0 else -pulled[x]
        nodes[cell] += gradient * (one - fraction)
        nodes[cell + 1] += gradient * fraction
        slopes[x] = pulled[x] * cells[cell, 1] * inverse_step


@compiled()
def _clear_border(vector: Singles, size: int, field: int) -> None:
    """Zero the columns from ``field`` on in rows of ``size`` that are strung together."""
    for start in range(0, vector.size, size):
        vector[start + field : start + size] = 0.0


@compiled(fastmath=True, error_model="numpy")
def patch_loss_and_gradients(
    noisy: Singles,
    noise: Singles,
    sigma: np.float32,
    importance: np.float32,
    filters: Singles,
    cells: Singles,
    inverse_steps: Singles,
    filter_gradient: Doubles,
    node_gradient: Doubles,
) -> float:
    """Add one patch's gradients of ``importance * mean((sigma * score + noise)**2)`` and return that loss.

    Parameters
    ----------
    noisy, noise
        x_t = x_0 + sigma z, and z, (patch, patch).
    sigma
        Noise standard deviation of this patch.
    importance
        Its weight in the loss.
    filters
        (filters, taps, taps).
    cells
        Tables at this patch's noise level, (filters, nodes - 1, 2), see `look_up`.
    inverse_steps
        One over the distance between their nodes, (filters,).
    filter_gradient
        Added to; (filters, taps, taps).
    node_gradient
        Added to; (filters, nodes).
    """
    count, taps, _ = filters.shape
    size = noisy.shape[0]
    field = size - taps + 1
    inner = field - taps + 1
    margin = taps - 1
    # rows are strung together into one long vector: row y, column x sits at y * size + x, a tap (a, b) reads
    # a * size + b further on, and the few columns where a filter would cross the patch border are set to zero
    length = field * size
    tail = margin * size + margin
    flat = np.zeros(length + tail, dtype=np.float32)
    flat[: size * size] = noisy.ravel()
    flipped = np.ascontiguousarray(filters[:, :, ::-1])
    responses = np.zeros((count, length), dtype=np.float32)
    sums = np.zeros(size * size + margin, dtype=np.float32)
    activations = np.zeros(length + 2 * margin, dtype=np.float32)
    inside = activations[margin : margin + length]
    for k in range(count):
        for a in range(taps):
            add_filtered(flat[a * size :], filters[k, a], responses[k])
        look_up(responses[k], cells[k], inverse_steps[k], inside)
        _clear_border(inside, size, field)
        for a in range(taps):
            add_filtered(activations, flipped[k, a], sums[a * size : a * size + length])

    # the score is -sums; only its inner part saw all of its activations
    loss = 0.0
    scale = importance / np.float32(inner * inner)
    residual = np.zeros(length + tail, dtype=np.float32)
    for y in range(margin, margin + inner):
        for x in range(margin, margin + inner):
            error = noise[y, x] - sigma * sums[y * size + x]
            loss += error * error
            residual[y * size + x] = np.float32(-2.0) * scale * sigma * error

    pulled = np.empty(length, dtype=np.float32)
    slopes = np.empty(length, dtype=np.float32)
    for k in range(count):
        pulled[:] = 0.0
        for a in range(taps):
            add_filtered(residual[a * size :], filters[k, a], pulled)
        _clear_border(pulled, size, field)
        look_up(responses[k], cells[k], inverse_steps[k], inside)
        _clear_border(inside, size, field)
        spread(responses[k], pulled, cells[k], inverse_steps[k], slopes, node_gradient[k])
        for a in range(taps):
            _add_products(inside, residual[a * size :], filter_gradient[k, a])
            _add_products(slopes, flat[a * size :], filter_gradient[k, a])
    return float(loss * scale)
