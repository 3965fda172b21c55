"""Methods with a learned prior: algorithms, settings, ensembles."""
