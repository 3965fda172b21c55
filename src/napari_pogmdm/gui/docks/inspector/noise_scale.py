"""The scale of the noise slider: fine near zero, where potentials change fastest; no Qt in here."""

from __future__ import annotations

import math

TICKS = 400
HIGHEST = 1.0
_BEND = 5.0


def level_at(tick: int) -> float:
    """Noise level sqrt(2t) at a tick of the slider; tick 0 is zero, the last tick is `HIGHEST`."""
    return HIGHEST * math.expm1(_BEND * tick / TICKS) / math.expm1(_BEND)


def tick_of(level: float) -> int:
    """Nearest tick to a noise level."""
    share = min(1.0, max(0.0, level / HIGHEST))
    return round(TICKS * math.log1p(share * math.expm1(_BEND)) / _BEND)
