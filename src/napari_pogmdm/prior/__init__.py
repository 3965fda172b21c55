"""What MR images look like: p(x, t), its parameters, weights and figures."""
