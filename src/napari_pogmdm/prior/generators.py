"""Generators of the shearlet system, the low-pass h1 and the fan filter P, at their start values."""

from __future__ import annotations

import math

import numpy as np
import torch
from scipy.signal import convolve2d
from torch import Tensor

from napari_pogmdm.prior.projections import onto_unit_l1_sphere, onto_unit_sum

# The scaling filter that ShearLab 3D (Kutyniok, Lim, Reisenhofer, 2016) takes by default: first half and centre.
_LOW_PASS_HALF = (0.0104933261758410, -0.0263483047033631, -0.0517766952966370, 0.276348304703363, 0.582566738241592)
# Upper left quadrant, in units of 1/4096, of the maximally flat diamond kernel of order 4, as in ShearLab's dmaxflat4.
_DIAMOND_QUADRANT = (
    (0, -5, 0, -3, 0),
    (-5, 0, 52, 0, 34),
    (0, 52, 0, -276, 0),
    (-3, 0, -276, 0, 1454),
    (0, 34, 0, 1454, 0),
)


def low_pass() -> Tensor:
    """Maximally flat symmetric low-pass h1, shape (9,), sum 1."""
    return torch.tensor(_LOW_PASS_HALF + _LOW_PASS_HALF[-2::-1], dtype=torch.float64)


def fan() -> Tensor:
    """Maximally flat fan filter P, shape (17, 17), sum 1, largest gain sqrt(2).

    A one-dimensional prototype of five taps is carried to two dimensions by the McClellan transform with a diamond
    kernel; modulating its columns by (-1)^n turns the diamond into a fan.
    """
    quadrant = np.array(_DIAMOND_QUADRANT, dtype=np.float64) / 4096
    upper = np.hstack([quadrant, quadrant[:, -2::-1]])
    diamond = np.vstack([upper, upper[-2::-1]])
    shape, half = 1 - math.sqrt(2), 1 / math.sqrt(2)
    prototype = half * np.array([1 + shape * half / 2, half / 2, shape * half / 4])
    kernel = np.zeros((17, 17))
    kernel[8, 8] = prototype[0] - 2 * prototype[2]
    kernel[4:13, 4:13] += 2 * prototype[1] * diamond
    kernel += 4 * prototype[2] * convolve2d(diamond, diamond)
    kernel *= math.sqrt(2) / kernel.sum()
    return torch.from_numpy(kernel * (-1.0) ** np.arange(-8, 9))


def initial_generators(keep_fan_shape: bool = False) -> dict[str, Tensor]:
    """Make generators that satisfy their constraints, in single precision.

    Parameters
    ----------
    keep_fan_shape
        Projecting P onto the unit l1 sphere leaves five taps of it. True divides by the l1 norm instead, which
        keeps the fan's shape at half the gain.
    """
    start = fan()
    constrained = start / start.abs().sum() if keep_fan_shape else onto_unit_l1_sphere(start)
    return {"low_pass": onto_unit_sum(low_pass()).float(), "fan": constrained.float()}
