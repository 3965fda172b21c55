"""The parts of the Inspector: what a model knows, as arrays without Qt, and the panels that draw them."""
