"""Which prior, its card, and on which device."""
