"""Lessons that drive the window."""
