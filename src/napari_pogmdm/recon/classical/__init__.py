"""Methods without a learned prior."""
