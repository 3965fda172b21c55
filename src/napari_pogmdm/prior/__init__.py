"""What MR images look like: p(x, t), its score and its weights."""
