"""Compiled training step of small filters: loss and all its gradients in one sweep over the patches.

Filters are applied where they fit inside the patch ("valid"), so that patch borders teach the prior nothing:
a patch of P pixels with filters of v taps counts P - 2 (v - 1) pixels in the loss.
"""

from __future__ import annotations

import numpy as np

from napari_pogmdm.arrays import Doubles, Singles
from napari_pogmdm.prior.scores.convolution_kernels import look_up
from napari_pogmdm.runtime.compiled import compiled
from napari_pogmdm.training.filter_pairs import add_adjoint, add_products, correlate


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
    padded = np.zeros((2, length + 2 * margin), dtype=np.float32)
    responses[:] = 0.0
    for first in range(0, count, 2):
        pair = filters[first : first + 2]
        correlate(flat, width, pair, responses[first : first + 2])
        for j in range(len(pair)):
            inside = padded[j, margin : margin + length]
            look_up(responses[first + j], cells[first + j], inverse_steps[first + j], inside)
            _clear_border(inside, width, width - margin)
        add_adjoint(padded, width, flipped[first : first + 2], sums)


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
    inside = np.zeros((2, length), dtype=np.float32)
    pulled = np.empty((2, length), dtype=np.float32)
    padded = np.zeros((2, length + 2 * margin), dtype=np.float32)
    spare = np.empty(taps, dtype=np.float64)  # takes what the second of a pair would get where there is none
    for first in range(0, count, 2):
        pair = filters[first : first + 2]
        pulled[:] = 0.0
        correlate(residual, width, pair, pulled)
        for j in range(len(pair)):
            k = first + j
            _clear_border(pulled[j], width, width - margin)
            look_up(responses[k], cells[k], inverse_steps[k], inside[j])
            _clear_border(inside[j], width, width - margin)
            slopes = padded[j, margin : margin + length]
            spread(responses[k], pulled[j], cells[k], inverse_steps[k], slopes, node_gradient[k])
        if image_gradient.size:
            add_adjoint(padded, width, flipped[first : first + 2], image_gradient)
        slopes, others = padded[0, margin : margin + length], padded[1, margin : margin + length]
        for a in range(taps):
            own, other = filter_gradient[first, a], filter_gradient[first + 1, a] if len(pair) == 2 else spare
            add_products(inside[0], inside[1], residual[a * width :], own, other)
            add_products(slopes, others, flat[a * width :], own, other)


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
