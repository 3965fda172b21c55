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
def activation_sums(
    flat: Singles,
    width: int,
    filters: Singles,
    cells: Singles,
    inverse_steps: Singles,
    responses: Singles,
    sums: Singles,
) -> None:
    """Add minus the score of an image whose rows are strung together.

    Row y, column x sits at ``y * width + x``, a tap (a, b) reads ``a * width + b`` further on, and the few columns
    where a filter would cross the border are set to zero.

    Parameters
    ----------
    flat
        The image, with zeros behind it, see `strung`.
    width
        Of its rows.
    filters
        (filters, taps, taps).
    cells, inverse_steps
        Tables of the potentials' derivatives, see `look_up`.
    responses
        Written: of every filter, (filters, points).
    sums
        Added to; right where all activations are inside the image.
    """
    count, taps, _ = filters.shape
    margin = taps - 1
    length = responses.shape[1]
    flipped = np.ascontiguousarray(filters[:, :, ::-1])
    activations = np.zeros(length + 2 * margin, dtype=np.float32)
    inside = activations[margin : margin + length]
    responses[:] = 0.0
    for k in range(count):
        for a in range(taps):
            add_filtered(flat[a * width :], filters[k, a], responses[k])
        look_up(responses[k], cells[k], inverse_steps[k], inside)
        _clear_border(inside, width, width - margin)
        for a in range(taps):
            add_filtered(activations, flipped[k, a], sums[a * width : a * width + length])


@compiled(fastmath=True, error_model="numpy")
def pull_back(
    flat: Singles,
    residual: Singles,
    width: int,
    filters: Singles,
    cells: Singles,
    inverse_steps: Singles,
    responses: Singles,
    filter_gradient: Doubles,
    node_gradient: Doubles,
    image_gradient: Singles,
) -> None:
    """Carry a gradient with respect to `activation_sums` back to filters, tables and, if wanted, the image.

    Parameters
    ----------
    flat, width, filters, cells, inverse_steps, responses
        As `activation_sums` had and wrote them.
    residual
        The gradient, laid out like ``flat``.
    filter_gradient
        Added to; (filters, taps, taps).
    node_gradient
        Added to; (filters, nodes).
    image_gradient
        Added to, laid out like the sums; empty if nobody wants it.
    """
    count, taps, _ = filters.shape
    margin = taps - 1
    length = responses.shape[1]
    flipped = np.ascontiguousarray(filters[:, :, ::-1])
    inside = np.empty(length, dtype=np.float32)
    pulled = np.empty(length, dtype=np.float32)
    padded = np.zeros(length + 2 * margin, dtype=np.float32)
    slopes = padded[margin : margin + length]
    for k in range(count):
        pulled[:] = 0.0
        for a in range(taps):
            add_filtered(residual[a * width :], filters[k, a], pulled)
        _clear_border(pulled, width, width - margin)
        look_up(responses[k], cells[k], inverse_steps[k], inside)
        _clear_border(inside, width, width - margin)
        spread(responses[k], pulled, cells[k], inverse_steps[k], slopes, node_gradient[k])
        for a in range(taps):
            _add_products(inside, residual[a * width :], filter_gradient[k, a])
            _add_products(slopes, flat[a * width :], filter_gradient[k, a])
            if image_gradient.size:
                add_filtered(padded, flipped[k, a], image_gradient[a * width : a * width + length])


@compiled()
def strung(image: Singles, margin: int) -> Singles:
    """Put the rows of an image behind each other, and zeros behind it, which filters of ``margin + 1`` taps read."""
    height, width = image.shape
    flat = np.zeros(height * width + margin, dtype=np.float32)
    flat[: height * width] = image.ravel()
    return flat


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
    size = noisy.shape[0]
    margin = filters.shape[1] - 1
    inner = size - 2 * margin
    flat = strung(noisy, margin)
    responses = np.empty((filters.shape[0], (size - margin) * size), dtype=np.float32)
    sums = np.zeros(flat.size, dtype=np.float32)
    activation_sums(flat, size, filters, cells, inverse_steps, responses, sums)

    # the score is -sums; only its inner part saw all of its activations
    loss = 0.0
    scale = importance / np.float32(inner * inner)
    residual = np.zeros(flat.size, dtype=np.float32)
    for y in range(margin, margin + inner):
        for x in range(margin, margin + inner):
            error = noise[y, x] - sigma * sums[y * size + x]
            loss += error * error
            residual[y * size + x] = np.float32(-2.0) * scale * sigma * error
    nobody = np.empty(0, dtype=np.float32)
    pull_back(
        flat,
        residual,
        size,
        filters,
        cells,
        inverse_steps,
        responses,
        filter_gradient,
        node_gradient,
        nobody,
    )
    return float(loss * scale)
