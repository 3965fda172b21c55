"""What is trained on: open volumes, where they come from, and which of their slices are kept out."""
