from __future__ import annotations

from simulated_head import coils, head, kspace

__all__ = ["coils", "head", "kspace"]
