"""The method with a learned prior: settings, presets, algorithms, ensembles."""
