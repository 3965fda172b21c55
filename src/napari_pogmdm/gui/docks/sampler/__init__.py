"""A run: settings, step, play, go back, fork."""
