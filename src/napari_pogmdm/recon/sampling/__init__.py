"""How a scan is sampled: recipes of masks and trajectories, and the samples that they take."""
