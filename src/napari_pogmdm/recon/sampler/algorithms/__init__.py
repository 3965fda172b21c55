"""Sampling algorithms, one a file, on a base that binds the data."""
