"""Training for use: the error that whole reconstructions leave, carried back through all of their steps."""
