"""Which samples are measured."""
