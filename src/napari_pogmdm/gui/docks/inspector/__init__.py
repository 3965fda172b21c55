"""Filters, potentials and time conditioning of a prior, drawn."""
