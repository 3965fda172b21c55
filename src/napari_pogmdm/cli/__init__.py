"""The terminal's door to the engine."""
