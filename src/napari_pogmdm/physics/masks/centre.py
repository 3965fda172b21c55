"""Indices of the central lines (ACS) of k-space, for any size and width, by fastMRI's rounding."""

from __future__ import annotations


def central(count: int, width: int) -> slice:
    """Return the ``width`` indices in the middle of ``count``; blocks of growing width contain each other."""
    start = (count - width + 1) // 2
    return slice(start, start + width)
