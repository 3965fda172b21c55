"""The score of a prior, tabulated and compiled."""
