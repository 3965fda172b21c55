"""Training data: open volumes, where they come from, and which of their slices are held out."""
