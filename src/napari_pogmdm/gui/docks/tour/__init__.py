"""The Tour dock and its lessons."""
