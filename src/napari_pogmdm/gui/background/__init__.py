"""Threads of the window, what they run and what they report; no Qt, nothing of the session."""
