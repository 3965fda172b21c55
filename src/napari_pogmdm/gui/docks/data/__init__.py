"""Which scan, which slice, what its header says."""
