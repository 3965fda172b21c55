"""The score, fast: tables and compiled loops."""
