"""What commands hand to a pool of workers: slices of one scan or of many."""
