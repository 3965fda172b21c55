"""Positions of samples off the grid: radial, spiral, from files."""
