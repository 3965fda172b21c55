"""Threads of the window, what they run and what they tell; no Qt, nothing of the session."""
