"""Where samples lie that are on no grid: radial, spiral, from files."""
