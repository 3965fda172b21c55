"""Plots that lessons show below the pictures, one claim each."""
