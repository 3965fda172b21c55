"""Recordings of runs: replayed, made, exported as films."""
