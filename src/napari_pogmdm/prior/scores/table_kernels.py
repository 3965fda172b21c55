"""Compiled loops that tabulate the derivatives of mixtures, and carry gradients of the tables back to the mixtures.

At one noise level the derivative of a potential is a function of one variable, so it is worth tabulating
(at most a thousand nodes per filter) before it is applied to millions of filter responses.
"""

from __future__ import annotations

import numpy as np

from napari_pogmdm.arrays import Doubles
from napari_pogmdm.runtime.compiled import compiled

NEGLIGIBLE = 1e-30
"""Relative Gaussian height below which further components are skipped; the smallest weight is 1e-14."""


@compiled()
def _moments(
    weights: Doubles, node: float, variance: float, bound: float, spacing: float, sums: Doubles, highest: int
) -> None:
    """Sum ``w_i g_i d_i**p`` over the components for p = 0 .. highest, with ``d_i = node - mean_i``.

    Only ratios of the sums are meaningful: the Gaussians ``g_i`` are taken relative to the nearest one, so that
    nothing under- or overflows far in the tails. As the means are equispaced, neighbouring Gaussians differ by a
    factor that itself changes by a constant factor: no exponential is needed inside the loop.
    """
    last = weights.size - 1
    nearest = min(last, max(0, int((node + bound) / spacing + 0.5)))
    distance = node + bound - nearest * spacing
    decay = np.exp(-spacing * spacing / variance)
    sums[:] = 0.0
    for direction in (1, -1):
        step = direction * spacing
        ratio = np.exp((2.0 * distance * step - spacing * spacing) / (2.0 * variance))
        gaussian = 1.0
        difference = distance
        index = nearest
        if direction == -1:
            gaussian = ratio
            ratio *= decay
            difference += spacing
            index -= 1
        while 0 <= index <= last and gaussian > NEGLIGIBLE:
            term = weights[index] * gaussian
            for power in range(highest + 1):
                sums[power] += term
                term *= difference
            gaussian *= ratio
            ratio *= decay
            difference -= step
            index += direction


@compiled()
def fill_table(weights: Doubles, variances: Doubles, steps: Doubles, bound: float, values: Doubles) -> None:
    """Tabulate the derivative of every potential on its own grid of non-negative nodes.

    Parameters
    ----------
    weights
        Mixture weights of each filter, (filters, components), symmetric.
    variances
        Variance sigma_k^2 of each filter's mixture, (filters,).
    steps
        Distance between the nodes, (filters,); node j of filter k sits at ``j * steps[k]``.
    bound
        Largest mean; the means are equispaced on [-bound, bound].
    values
        Written: d/du(-log psi_k)(node), (filters, nodes).
    """
    spacing = 2.0 * bound / (weights.shape[1] - 1)
    sums = np.zeros(2)
    for k in range(values.shape[0]):
        values[k, 0] = 0.0
        for j in range(1, values.shape[1]):
            _moments(weights[k], j * steps[k], variances[k], bound, spacing, sums, 1)
            values[k, j] = sums[1] / (sums[0] * variances[k])


@compiled()
def table_gradients(
    weights: Doubles,
    variances: Doubles,
    steps: Doubles,
    bound: float,
    values: Doubles,
    cotangent: Doubles,
    weight_gradient: Doubles,
    variance_gradient: Doubles,
) -> None:
    """Pull a gradient with respect to table values back to weights and variances, by adding to the last two.

    With responsibilities r_i, phi = E_r[d] / s and s = sigma_k^2: d phi / d w_i = g_i (d_i / s - phi) / psi and
    d phi / d s = -E_r[d] / s^2 + Cov_r(d, d^2) / (2 s^3).

    Parameters
    ----------
    weights, variances, steps, bound
        As `fill_table` took them.
    values
        As it wrote them.
    cotangent
        Gradient with respect to ``values``.
    weight_gradient
        Added to; like ``weights``.
    variance_gradient
        Added to; like ``variances``.
    """
    components = weights.shape[1]
    spacing = 2.0 * bound / (components - 1)
    sums = np.zeros(4)
    for k in range(values.shape[0]):
        s = variances[k]
        decay = np.exp(-spacing * spacing / s)
        for j in range(1, values.shape[1]):
            cot = cotangent[k, j]
            if cot == 0.0:
                continue
            node = j * steps[k]
            _moments(weights[k], node, s, bound, spacing, sums, 3)
            first = sums[1] / sums[0]
            second = sums[2] / sums[0]
            third = sums[3] / sums[0]
            variance_gradient[k] += cot * (-first / s**2 + (third - first * second) / (2.0 * s**3))
            scale = cot / sums[0]
            slope = values[k, j]
            nearest = min(components - 1, max(0, int((node + bound) / spacing + 0.5)))
            distance = node + bound - nearest * spacing
            for direction in (1, -1):
                step = direction * spacing
                ratio = np.exp((2.0 * distance * step - spacing * spacing) / (2.0 * s))
                gaussian = 1.0
                difference = distance
                index = nearest
                if direction == -1:
                    gaussian = ratio
                    ratio *= decay
                    difference += spacing
                    index -= 1
                while 0 <= index < components and gaussian > NEGLIGIBLE:
                    weight_gradient[k, index] += scale * gaussian * (difference / s - slope)
                    gaussian *= ratio
                    ratio *= decay
                    difference -= step
                    index += direction
