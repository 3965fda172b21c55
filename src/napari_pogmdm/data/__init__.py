"""A scan from a file, or a simulated one, as `Acquisition`s; result files."""
