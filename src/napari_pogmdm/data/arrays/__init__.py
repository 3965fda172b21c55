"""K-space as plain arrays: NumPy and BART files, whose axes have to be named."""
