"""A run that can be stepped, gone back in, recorded and repeated; no Qt."""
