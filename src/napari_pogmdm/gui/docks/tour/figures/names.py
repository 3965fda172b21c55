"""Names of figures, as lessons use them; loads nothing heavy."""

from __future__ import annotations

FIGURES = ("point-spread", "toy-score", "score-scatter", "potential", "schedule", "residual", "chains", "runs")
"""All figures."""
OFF = "off"
"""No figure."""
