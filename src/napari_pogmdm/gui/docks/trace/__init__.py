"""The numbers of a run as curves."""
